"""One database: an invoice falls due, its customer is reminded and answers, reminders wait until that is settled, and the
owner answers.

The walk moves the service's clock, and reads and answers the customer's mail in the mailroom of the sandbox.
"""

import contextlib
import datetime
import pathlib
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

import accessibility
from journey import PASSWORD, Journey
from service import Postgres, Receiver, Service

ANSWER = "I lost my job."
# No page scrolls sideways because of it.
LONGEST_NUMBER = "2026-0001-" + "W" * 40


class Reminded(Journey):
    def __init__(self, browser, service, receiver, clock):
        super().__init__(browser, service, receiver)
        self.clock = clock

    def move_to(self, day):
        """Moves the clock to noon in New York, and signs in again: a session ends after 12 idle hours."""
        set_clock(self.clock, day)
        self.page.goto(f"{self.service.base}/login?next=/dashboard")
        if "/login" in self.page.url:
            self.submit(email="owner@example.com", password=PASSWORD)
            self.at("/dashboard")

    def start_reminders(self):
        self.open("/dashboard/settings/communications")
        self.page.locator('[name="timezone"]').first.fill("America/New_York")
        # Enter in a field saves, and starts nothing.
        self.page.locator('[name="timezone"]').first.press("Enter")
        self.at("/dashboard/settings/communications[?]done=saved")
        assert self.page.locator('[name="timezone"]').first.input_value() == "America/New_York"
        assert self.page.get_by_role("button", name="Stop reminders").count() == 0, self.page.inner_text("main")
        self.page.get_by_role("button", name="Start reminders").click()
        self.page.wait_for_load_state()
        self.keep()
        assert self.page.get_by_role("button", name="Stop reminders").count() == 1, self.page.inner_text("main")

    def create_due_invoice(self, key, today, due):
        return self.service.call("/invoices", key, {
            "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
            "invoice_number": LONGEST_NUMBER,
            "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50, "tax_rate": 10}],
            "invoice_date": today.isoformat(),
            "due_date": due.isoformat(),
        })

    def await_in_mailroom(self, text, count):
        """Waits until so many messages say something. Returns the body."""
        deadline = time.monotonic() + 30
        while True:
            self.open("/sandbox/mailroom")
            body = self.page.inner_text("body")
            if body.count(text) >= count:
                return body
            assert time.monotonic() < deadline, f"the mailroom does not say {text!r} {count} times:\n{body}"
            time.sleep(0.2)

    def answer(self, text):
        self.page.locator('textarea[name="text"]').first.fill(text)
        self.page.locator("main article form button").first.click()
        self.page.wait_for_load_state()

    def says_in_time(self, path, text):
        """Opens a page again until it says something."""
        deadline = time.monotonic() + 30
        while True:
            self.open(path)
            body = self.page.inner_text("body")
            if text.lower() in body.lower():
                return
            assert time.monotonic() < deadline, f"{path} does not say {text!r}:\n{body}"
            time.sleep(0.2)

    def resolve_answer(self):
        self.open("/dashboard/escalations")
        self.page.locator('main a[href*="/dashboard/escalations/"]').first.click()
        self.at("/dashboard/escalations/[0-9a-f-]{36}")
        self.says(ANSWER)
        self.submit(outcome="payment_arranged", notes="Three instalments.")
        self.says("resolved")

    def answer_customer(self, text):
        self.open("/dashboard/inbox")
        self.page.get_by_role("link", name="Answer", exact=True).first.click()
        self.at("/dashboard/messages/[0-9a-f-]{36}/answer[?]form=[0-9a-f-]{36}")
        answer = self.page.url
        self.open(answer.partition("/answer")[0])
        self.says(ANSWER)
        self.open(answer)
        self.says(ANSWER)
        self.page.locator('[name="text"]').fill(text)
        self.page.get_by_role("button", name="Send answer").click()
        self.says("Your answer is on its way.")
        self.await_in_mailroom(text, 1)


def set_clock(clock, day):
    clock.write_text(f"{day.isoformat()}T17:00:00Z")


def a_tuesday():
    """The next Tuesday: the steps of the walk fall on weekdays."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return today + datetime.timedelta(days=(1 - today.weekday()) % 7 or 7)


def main():
    chromium, binary, database = sys.argv[1:4]
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="countinghouse-browser-")))
        clock = folder / "clock"
        set_clock(clock, a_tuesday())
        more = {"COUNTINGHOUSE_TEST_CLOCK": str(clock), "COUNTINGHOUSE_INBOUND_DOMAIN": "in.example.com"}
        url = stack.enter_context(Postgres(folder)).url if database == "postgres" else None
        receiver = stack.enter_context(Receiver(folder))
        service = stack.enter_context(Service(pathlib.Path(binary), folder, url, receiver.certificate, more))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        reminded = Reminded(browser, service, receiver, clock)
        walk(reminded)
        pages = list(dict.fromkeys(reminded.visited))
        faults, runs, rules = accessibility.check(browser, reminded.owner.cookies(), pages)
        browser.close()
    print("\n".join(faults))
    print(f"axe: {len(pages)} pages, {runs} runs, {rules} rules, {len(faults)} faults")
    return 1 if faults else 0


def walk(reminded):
    def done(name):
        print(f"  {name}", flush=True)

    today = a_tuesday()
    due = today + datetime.timedelta(days=6)
    reminded.sign_up()
    key = reminded.generate_key()
    reminded.add_endpoint()
    reminded.start_reminders()
    done("reminders are started")
    invoice = reminded.create_due_invoice(key, today, due)
    page = f"/dashboard/invoices/{invoice['id']}"
    reminded.says_in_time(page, "Next: e-mail on")
    reminded.open("/dashboard/settings/communications")
    reminded.says(LONGEST_NUMBER)
    done("the invoice's page says when its reminder goes")
    reminded.move_to(due + datetime.timedelta(days=1))
    reminded.await_in_mailroom(f"Reminder: invoice {invoice['invoice_number']}", 1)
    done("an invoice falls due, and its reminder is in the mailroom")
    reminded.answer(ANSWER)
    events = reminded.await_events_of(invoice["id"], 1)
    raised = events[0]["events"][0]
    assert (raised["event_category"], raised["event_type"]) == ("ESCALATION", "Created"), events
    done("the customer answers, and the escalation is open and its webhook logged")
    reminded.move_to(due + datetime.timedelta(days=7))
    reminded.says_in_time(page, "an escalation is open")
    done("reminders are held, with that reason")
    reminded.open("/dashboard/inbox")
    reminded.says(ANSWER)
    reminded.resolve_answer()
    reminded.move_to(due + datetime.timedelta(days=9))
    reminded.await_in_mailroom("No more reminders by e-mail", 2)
    done("the escalation is resolved, and reminders go on")
    reminded.answer_customer("Three instalments are fine.")
    done("the owner answers from the inbox, and the answer is in the mailroom")


if __name__ == "__main__":
    sys.exit(main())
