"""A check for requests that the document allows: what is refused all the same breaks a rule that no schema can state."""

import os
import re
import unicodedata
import zlib

import schemathesis

# The document describes each rule in words. A refusal for any other reason is a fault of the document or of the service.
RULES = [re.compile(rule) for rule in (
    # Text: all characters except control characters; not blank in required fields.
    r"[a-z_.0-9]+: must not contain control characters",
    r"(company_name|payment_slug|timezone|external_id|(line_items\.\d+\.)?description): (is required|must not be empty)",
    # Names from a registry, and values that the service returned before.
    r"currency: must be the three-letter ISO 4217 code .*",
    r"timezone: must be the name of an? .*",
    r"line_amount_types: must be EXCLUSIVE, INCLUSIVE or NO_TAX",
    r"status: .*must be DRAFT, .*",
    r"cursor: must be the next_cursor of a previous page",
    r"(contact\.)?email: must be an e-mail address of at most 254 characters",
    r"(invoice_date|due_date|date_from|date_to): must be a date .*, of the years 1900 to 9999",
    # Numbers: limited decimals, and totals that are too large.
    r"line_items\.\d+\.(quantity|unit_amount|tax_rate): .*",
    r"line_items: the total .*",
    # URLs that the service calls: https and public; that of a logo must return a picture.
    r"(webhook_url|logo_url): (must|cannot|leads|answers|is) .*",
    # Fields that depend on each other, or on stored records.
    r"(email|external_id): email or external_id is required",
    r"(contact\.)?(email|phone): an e-mail address or a phone number is required to create a contact",
    r"(contact\.)?name: is required to create a contact",
    r"contact: is required unless (is_draft is true|the invoice is a draft)",
    r"(contact\.email|contact): is required to send the invoice(: the stored contact has none; .*)?",
    r"currency: makes the amount of a line too large for any invoice; .*",
    r"line_items: at least one line is required .*",
    r"due_date: must not be before the invoice date",
    r"invoice_date: must not be after the due date; .*",
    r"date_to: must not be before date_from",
    r"send_invoice: must not be true .*",
    r"line_amount_types: cannot be NO_TAX while .*",
    # States of invoices.
    r"INVOICE_NOT_CANCELLABLE",
    # A body without any known field.
    r"at least one field of the (invoice|account) must be sent",
)]


@schemathesis.hook
def filter_case(_context, case):
    """Leaves out what a schema calls a fault and the document's words do not: blanks around text, and blank text for `null`."""
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    sent = texts([case.body, dict(case.query or {}), dict(case.headers or {})])
    return not (is_negative and any(text != text.strip() or not text for text in sent))


@schemathesis.hook
def map_case(_context, case):
    """Has no made-up address called, and makes every other good request keep the rules above, so that it is done."""
    if isinstance(case.body, dict):
        for field, address in ADDRESSES.items():
            sent = str(case.body.get(field)).strip().lower()
            if sent.startswith("http") and len(sent) <= 2048:
                case.body[field] = address
    if case.meta is not None and case.meta.generation.mode.is_positive and zlib.crc32(repr(case.body).encode()) % 2:
        case.body = kept(case.body)
        if "escalations" in case.path and "ESCALATION" in os.environ:
            case.path_parameters = {"id": os.environ["ESCALATION"]}
    return case


# The address of the webhook needs no DNS look-up, and the guard refuses that of the logo.
ADDRESSES = {"webhook_url": "https://1.1.1.1/hook", "logo_url": "https://127.0.0.1/logo.png"}
# Fields that have few valid values, or that depend on others.
COUPLED = ["currency", "line_amount_types", "timezone", "invoice_date", "due_date", "logo_url", "contact", "send_invoice"]


def kept(value):
    """The same without characters that control, without what depends on something else, and with numbers that there is room for."""
    if isinstance(value, str):
        return "".join(c for c in value if unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp")).strip() or "Ada"
    if isinstance(value, list):
        return [kept(one) for one in value]
    if isinstance(value, dict):
        value = {name: ADDRESSES.get(name) or kept(one) for name, one in value.items() if name not in COUPLED}
        if "unit_amount" in value:
            return value | {"quantity": 2, "unit_amount": 10.05, "tax_rate": 10}
        return value | ({"contact": {"name": "Ada", "email": "ada@example.com"}} if "line_items" in value else {})
    return value


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


@schemathesis.check
def only_rules_beyond_schemas_refuse_what_the_document_allows(_context, response, case):
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    error = response.json()["error"]
    sent = case.body if isinstance(case.body, dict) else {}
    # Blank text counts as `null`, which not every field allows.
    blank = [name for name, value in sent.items() if isinstance(value, str) and not value.strip()]
    told = [f"{name}: must not be null; leave it out to keep it" for name in blank]
    faults = [f"{fault['field']}: {fault['message']}" for fault in error.get("field_errors", [])]
    reasons = faults or [error["message"] if error["code"] == "VALIDATION_ERROR" else error["code"]]
    strange = [reason for reason in reasons if reason not in told and not any(rule.fullmatch(reason) for rule in RULES)]
    assert not strange, f"the document does not tell of these: {strange}"
