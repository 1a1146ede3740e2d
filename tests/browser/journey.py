"""One database: from the invitation of an owner to a replayed webhook, in a browser without JavaScript."""

import contextlib
import json
import pathlib
import re
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

import accessibility
from service import Postgres, Receiver, Service

PASSWORD = "seven violet otters sing"
STATEMENT = "I lost my job and cannot pay before March."


class Journey:
    def __init__(self, browser, service, receiver):
        self.browser, self.service, self.receiver = browser, service, receiver
        self.owner = browser.new_context(java_script_enabled=False, viewport={"width": 1000, "height": 900})
        self.page = self.owner.new_page()
        self.page.set_default_timeout(20_000)
        self.visited = []

    def open(self, path):
        answer = self.page.goto(path if path.startswith("http") else self.service.base + path)
        assert answer.status == 200, f"{path}: {answer.status}"
        self.keep()

    def keep(self):
        """Remembers the page for the check of accessibility."""
        if self.page.url not in self.visited:
            self.visited.append(self.page.url)

    def at(self, path):
        self.page.wait_for_url(re.compile(re.escape(self.service.base) + path + "$"))
        self.keep()

    def says(self, text):
        deadline = time.monotonic() + 20
        while True:
            body = self.page.inner_text("body")
            if text.lower() in body.lower():
                return
            assert time.monotonic() < deadline, f"{self.page.url} does not say {text!r}:\n{body}"
            time.sleep(0.1)

    def submit(self, **fields):
        """Fills in the fields that are named and sends the form of the first of them."""
        for name, value in fields.items():
            field = self.page.locator(f'[name="{name}"]').first
            kind = field.evaluate("field => field.type || field.tagName")
            if kind == "radio":
                self.page.check(f'[name="{name}"][value="{value}"]')
            elif kind == "checkbox":
                for one in value:
                    self.page.check(f'[name="{name}"][value="{one}"]')
            elif kind == "select-one":
                field.select_option(value)
            else:
                field.fill(value)
        form = self.page.locator("form", has=self.page.locator(f'[name="{next(iter(fields))}"]')).first
        form.locator("button").first.click()

    def tab_to(self, name, value=None):
        """Moves the focus with the keyboard alone to a field, a button or a link."""
        focus = """() => { const e = document.activeElement;
            return [e.name || "", e.value || "", (e.innerText || "").trim()]; }"""
        for _ in range(120):
            self.page.keyboard.press("Tab")
            given, filled, words = self.page.evaluate(focus)
            if name in (given, words) and value in (None, filled):
                return
        raise AssertionError(f"the keyboard does not reach {name} {value or ''} on {self.page.url}")

    def press_enter(self):
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def sign_up(self):
        self.open(self.service.invitation())
        self.tab_to("password")
        self.page.keyboard.type(PASSWORD)
        self.press_enter()
        self.at("/dashboard")

    def sign_out_and_in_by_keyboard(self):
        self.open("/dashboard")
        self.page.locator('form[action$="/logout"] button').click()
        self.open("/login?next=/dashboard/invoices")
        self.tab_to("email")
        self.page.keyboard.type("owner@example.com")
        self.tab_to("password")
        self.page.keyboard.type(PASSWORD)
        self.tab_to("Sign in")
        self.press_enter()
        self.at("/dashboard/invoices")

    def generate_key(self):
        self.open("/dashboard/settings/api")
        self.page.locator("main form button").first.click()
        self.says("ct_live_")
        key = re.search(r"ct_live_\w+", self.page.content())
        assert key, self.page.content()
        self.page.reload()
        assert key.group(0) not in self.page.content(), "a secret is shown once"
        return key.group(0)

    def add_endpoint(self):
        self.open("/dashboard/settings/webhooks")
        events = ["invoice.payment_recorded", "escalation.created", "escalation.resolved"]
        self.submit(url=self.receiver.url, events=events)
        self.says("secret")

    def create_invoice(self, key):
        return self.service.call("/invoices", key, {
            "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
            "line_items": [{"description": "Consulting", "quantity": 2, "unit_amount": 50, "tax_rate": 10}],
        })

    def create_invoice_by_keyboard(self):
        self.open("/dashboard/contacts/new")
        self.open("/dashboard/invoices/new")
        for name, text in {
            "contact.name": "Charles Babbage",
            "contact.email": "charles@example.com",
            "line_items.0.description": "Gears",
            "line_items.0.quantity": "3",
            "line_items.0.unit_amount": "12.50",
        }.items():
            self.tab_to(name)
            self.page.keyboard.type(text)
        self.tab_to("action", "issue")
        self.press_enter()
        self.at("/dashboard/invoices/[0-9a-f-]{36}")
        self.says("37.50")
        issued = self.page.url
        self.page.go_back()
        self.page.locator('button[value="issue"]').click()
        self.at("/dashboard/invoices/[0-9a-f-]{36}")
        assert self.page.url == issued, "the form that the browser went back to acted a second time"

    def ask_for_help_by_keyboard(self, pay_url):
        self.open(pay_url)
        self.says("110.00")
        self.tab_to("Ask for help")
        self.press_enter()
        self.keep()
        self.tab_to("reason")
        self.page.keyboard.press("Space")
        self.tab_to("statement")
        self.page.keyboard.type(STATEMENT)
        self.page.keyboard.press("Tab")
        self.press_enter()
        self.says("reminders")
        return self.page.inner_text("body")

    def resolve(self, shown_to_payer):
        self.open("/dashboard/escalations")
        self.page.locator('main a[href*="/dashboard/escalations/"]').first.click()
        self.at("/dashboard/escalations/[0-9a-f-]{36}")
        self.says(STATEMENT)
        assert self.page.url[-8:] in shown_to_payer, "the payer was shown the end of the escalation's id"
        self.submit(outcome="payment_arranged", notes="Three instalments.")
        self.says("resolved")

    def replay(self):
        # The escalation was raised and resolved.
        self.await_events(2)
        self.open("/dashboard/webhooks/deliveries")
        self.page.locator('main a[href*="/dashboard/webhooks/deliveries/"]').first.click()
        self.at("/dashboard/webhooks/deliveries/[0-9a-f-]{36}")
        self.says("200")
        self.page.locator("main form button").first.click()
        self.await_events(3)
        ids = [json.dumps(event, sort_keys=True) for event in self.receiver.received]
        assert len(ids) > len(set(ids)), f"no event came again: {self.receiver.received}"

    def check_out(self, invoice, button):
        """Pays an invoice in the sandbox with one of its buttons, and comes back to the page that says how it went."""
        self.open(invoice["pay_url"])
        self.page.get_by_role("button", name=re.compile("^Pay AUD")).click()
        self.at("/sandbox/checkout/[^/]+")
        self.page.get_by_role("button", name=button, exact=True).click()
        self.at("/pay/[^/]+/return.*")

    def pay_online(self, key):
        invoice = self.create_invoice(key)
        self.check_out(invoice, "Decline")
        self.says("Your payment was declined")
        self.check_out(invoice, "Pay")
        self.says("Thank you")
        self.open(invoice["pay_url"])
        self.says("Paid")
        assert self.page.get_by_role("button", name=re.compile("^Pay")).count() == 0, "a paid invoice has no Pay button"
        assert len(self.await_events_of(invoice["id"], 1)) == 1, "one payment is one event"

    def pay_later_and_twice(self, key):
        pending, doubled = self.create_invoice(key), self.create_invoice(key)
        self.check_out(pending, "Pay later")
        self.says("being processed")
        self.open(pending["pay_url"])
        self.says("being processed")
        self.check_out(doubled, "Pay twice")
        self.says("Thank you")
        assert len(self.await_events_of(doubled["id"], 1)) == 1, "one of two payments counts"

    def await_events_of(self, invoice, count):
        deadline = time.monotonic() + 20
        while True:
            events = [event for event in self.receiver.received if invoice in json.dumps(event)]
            if len(events) >= count:
                return events
            assert time.monotonic() < deadline, f"{count} events of {invoice} are not there: {self.receiver.received}"
            time.sleep(0.1)

    def await_events(self, count):
        deadline = time.monotonic() + 20
        while len(self.receiver.received) < count:
            assert time.monotonic() < deadline, f"{count} events are not there: {self.receiver.received}"
            time.sleep(0.1)

    def use_addresses_that_are_not_ascii(self):
        """A contact has the address that was typed, and an owner signs in with it."""
        self.open("/dashboard/contacts/new")
        self.submit(name="José", email="josé@bücher.test")
        self.says("The contact was added.")
        kept = self.page.input_value('[name="email"]')
        assert kept == "josé@bücher.test", kept
        partner = self.service.command("partner", "create", "--name", "Partner of a bookshop")["partner_key"]
        owner = {"company_name": "Bücher", "email": "a@bücher.test"}
        account = self.service.call("/partner/accounts", partner, owner)["id"]
        other = Journey(self.browser, self.service, self.receiver)
        other.open(self.service.command("account", "invite", account)["invitation_url"])
        other.submit(password=PASSWORD)
        other.at("/dashboard")
        other.page.locator('form[action$="/logout"] button').click()
        other.open("/login")
        other.submit(email=owner["email"], password=PASSWORD)
        other.at("/dashboard")
        other.owner.close()

    def look_at_the_rest(self, pay_url):
        """Pages that no step has opened: every one that the navigation links to, and pages of errors."""
        self.open("/dashboard")
        links = self.page.locator("nav a").evaluate_all("links => links.map(link => link.href)")
        for link in links:
            self.open(link)
            more = self.page.locator("nav a").evaluate_all("links => links.map(link => link.href)")
            links += [address for address in more if address not in links]
        for path in ("/login", "/password/forgot", f"{pay_url}/promise"):
            self.page.goto(path if path.startswith("http") else self.service.base + path)
            self.keep()
        self.visited.append(f"{self.service.base}/pay/unknown")


def main():
    chromium, binary, database = sys.argv[1:4]
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="countinghouse-browser-")))
        url = stack.enter_context(Postgres(folder)).url if database == "postgres" else None
        receiver = stack.enter_context(Receiver(folder))
        service = stack.enter_context(Service(pathlib.Path(binary), folder, url, receiver.certificate))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        journey = Journey(browser, service, receiver)
        walk(journey)
        pages = list(dict.fromkeys(journey.visited))
        faults, runs, rules = accessibility.check(browser, journey.owner.cookies(), pages)
        browser.close()
    print("\n".join(faults))
    print(f"axe: {len(pages)} pages, {runs} runs, {rules} rules, {len(faults)} faults")
    return 1 if faults else 0


def walk(journey):
    steps = []

    def done(name):
        steps.append(name)
        print(f"  {name}", flush=True)

    journey.sign_up()
    done("an invitation becomes a password and a session")
    key = journey.generate_key()
    done("a key is shown once")
    journey.add_endpoint()
    done("a webhook endpoint is added, its secret shown once")
    invoice = journey.create_invoice(key)
    done("the key creates an invoice")
    shown = journey.ask_for_help_by_keyboard(invoice["pay_url"])
    done("a payer asks for help, by keyboard alone")
    journey.resolve(shown)
    done("the owner resolves the escalation")
    journey.replay()
    done("a delivery is replayed")
    journey.pay_online(key)
    done("an invoice is paid online, after a payment that was declined")
    journey.pay_later_and_twice(key)
    done("a payment is pending, and of two payments one counts")
    journey.create_invoice_by_keyboard()
    done("an invoice is created by keyboard alone")
    journey.use_addresses_that_are_not_ascii()
    done("a contact and an owner have addresses that are not ASCII")
    journey.look_at_the_rest(invoice["pay_url"])
    journey.sign_out_and_in_by_keyboard()
    done("signing out, and in again by keyboard alone")


if __name__ == "__main__":
    sys.exit(main())
