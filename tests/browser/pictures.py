"""Takes the pictures of docs/pictures/: a payment page and the dashboard of a business that has invoiced for a while.

    python3 tests/browser/run.py --database sqlite --pictures docs/pictures
"""

import contextlib
import datetime
import pathlib
import re
import sys
import tempfile

from playwright.sync_api import sync_playwright

from journey import PASSWORD
from service import Receiver, Service

# Customer, delivered goods, amount, days since the invoice, paid share.
INVOICES = [
    ("Harbour Bakery", "Oven service, half a day", "480.00", 96, 0),
    ("Little Lane Books", "Shelving, oak", "1260.00", 71, 0.5),
    ("Fernwood Physio", "Reception desk, repair", "310.00", 52, 1),
    ("Coral Street Dental", "Lighting, second floor", "2140.00", 44, 0),
    ("Harbour Bakery", "Extractor fan, fitting", "690.00", 20, 1),
    ("Blue Gum Veterinary", "Consulting rooms, sound insulation", "3880.00", 16, 0),
    ("Little Lane Books", "Window seat", "940.00", 9, 0),
    ("Fernwood Physio", "Ramp with handrail", "1725.00", 3, 0),
]


def main():
    chromium, binary, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with contextlib.ExitStack() as stack:
        temporary = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="countinghouse-pictures-")))
        receiver = stack.enter_context(Receiver(temporary))
        service = stack.enter_context(Service(binary, temporary, None, receiver.certificate))
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_context(java_script_enabled=False, viewport={"width": 960, "height": 900}).new_page()
        page.goto(service.invitation())
        page.fill('[name="password"]', PASSWORD)
        page.locator("main form button").first.click()
        page.wait_for_url(re.compile("/dashboard$"))
        page.goto(service.base + "/dashboard/settings/profile")
        page.fill('[name="company_name"]', "Wattle & Daub Joinery")
        page.locator("main form button").first.click()
        page.goto(service.base + "/dashboard/settings/api")
        page.locator("main form button").first.click()
        key = re.search(r"ct_live_\w+", page.content()).group(0)
        fill(service, key)
        page.goto(service.base + "/dashboard")
        page.screenshot(path=folder / "dashboard.png", full_page=True)
        page.goto(sample(service, key)["pay_url"])
        page.screenshot(path=folder / "payment-page.png", full_page=True)
        browser.close()
    return 0


def fill(service, key):
    account = service.command("account", "list")[0]["id"]
    today = datetime.date.today()
    for customer, work, amount, days, share in INVOICES:
        date = today - datetime.timedelta(days=days)
        email = customer.lower().replace(" ", ".") + "@example.com"
        made = service.call("/invoices", key, {
            "contact": {"name": customer, "email": email},
            "invoice_date": date.isoformat(),
            "due_date": (date + datetime.timedelta(days=14)).isoformat(),
            "line_items": [{"description": work, "quantity": 1, "unit_amount": float(amount), "tax_rate": 10}],
        })
        if share:
            paid = f"{float(made['total']) * share:.2f}"
            service.command(
                "payment", "record", "--account", account, "--invoice", made["id"], "--amount", paid,
                "--method", "bank_transfer",
            )


def sample(service, key):
    return service.call("/invoices", key, {
        "contact": {"name": "Coral Street Dental", "email": "accounts@coral.example.com"},
        "reference": "Order 4417",
        "line_items": [
            {"description": "Waiting room bench, blackbutt, 2.4 m", "quantity": 2, "unit_amount": 865, "tax_rate": 10},
            {"description": "Delivery and fitting", "quantity": 3.5, "unit_amount": 92.5, "tax_rate": 10},
            {"description": "Returning customer", "quantity": 1, "unit_amount": -100, "tax_rate": 10},
        ],
    })


if __name__ == "__main__":
    sys.exit(main())
