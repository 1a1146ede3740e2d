#!/usr/bin/env python3
"""Writes operations.json: what Stripe's API takes and answers, for the operations that this crate uses.

    pip download --no-deps --dest sdk stripe==16.1.0 && unzip -q -d sdk sdk/*.whl
    python3 extract.py sdk > operations.json

The source is Stripe's own SDK for Python, which Stripe generates from its OpenAPI document: names, types and
enumerations of parameters and fields are read off its classes. No text of Stripe's is taken over.
"""

import ast
import json
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])

# Name here; file and method of the SDK's service; its class of parameters; what it answers.
OPERATIONS = [
    ("create session", "checkout/_session_service.py", "create", "checkout/_session_create_params.py", "checkout.session"),
    ("retrieve session", "checkout/_session_service.py", "retrieve", "checkout/_session_retrieve_params.py", "checkout.session"),
    ("expire session", "checkout/_session_service.py", "expire", "checkout/_session_expire_params.py", "checkout.session"),
    ("list sessions", "checkout/_session_service.py", "list", "checkout/_session_list_params.py", "checkout.session"),
    ("list payment intents", "_payment_intent_service.py", "list", "_payment_intent_list_params.py", "payment_intent"),
    ("retrieve charge", "_charge_service.py", "retrieve", "_charge_retrieve_params.py", "charge"),
    ("list charges", "_charge_service.py", "list", "_charge_list_params.py", "charge"),
    ("create refund", "_refund_service.py", "create", "_refund_create_params.py", "refund"),
    ("list refunds", "_refund_service.py", "list", "_refund_list_params.py", "refund"),
    ("list disputes", "_dispute_service.py", "list", "_dispute_list_params.py", "dispute"),
    ("list events", "_event_service.py", "list", "_event_list_params.py", "event"),
    ("retrieve balance transaction", "_balance_transaction_service.py", "retrieve",
     "_balance_transaction_retrieve_params.py", "balance_transaction"),
    ("list balance transactions", "_balance_transaction_service.py", "list",
     "_balance_transaction_list_params.py", "balance_transaction"),
]
OBJECTS = {
    "checkout.session": ("checkout/_session.py", "Session"),
    "payment_intent": ("_payment_intent.py", "PaymentIntent"),
    "charge": ("_charge.py", "Charge"),
    "refund": ("_refund.py", "Refund"),
    "dispute": ("_dispute.py", "Dispute"),
    "event": ("_event.py", "Event"),
    "balance_transaction": ("_balance_transaction.py", "BalanceTransaction"),
}
# Parameters with parameters of their own that are looked into; the others are named without their parts.
OPENED = {"adaptive_pricing", "created", "line_items", "payment_intent_data", "price_data", "product_data"}
SCALARS = {"str": "string", "int": "integer", "bool": "boolean", "float": "number", "Decimal": "decimal"}
# The events that a selection here may name.
EVENTS = ("charge.", "checkout.session.", "payment_intent.", "refund.")


def classes(path):
    tree = ast.parse((ROOT / "stripe" / path).read_text())
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def shape(node):
    """What an annotation allows: types, an enumeration, parts by class, elements of an array."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return shape(ast.parse(node.value, mode="eval").body)
    if isinstance(node, ast.BinOp):
        return merged([shape(node.left), shape(node.right)])
    if isinstance(node, ast.Name):
        return {"types": [SCALARS[node.id]]} if node.id in SCALARS else {"types": ["object"], "class": node.id}
    if isinstance(node, ast.Attribute):
        return {"types": ["object"], "class": node.attr}
    if not isinstance(node, ast.Subscript):
        return {"types": []}
    name = getattr(node.value, "id", getattr(node.value, "attr", ""))
    inner = node.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Literal":
        values = [part.value for part in parts]
        types = {"str": "string", "bool": "boolean", "int": "integer"}
        return {"types": sorted({types[type(value).__name__] for value in values}), "enum": values}
    if name in ("List", "list"):
        return {"types": ["array"], "items": shape(parts[0])}
    if name == "ListObject":
        return {"types": ["object"], "list": True}
    if name in ("Dict", "UntypedStripeObject"):
        return {"types": ["map"]}
    if name == "ExpandableField":
        return {"types": ["string", "object"], "expandable": True}
    if name in ("Union", "Optional", "NotRequired"):
        found = merged([shape(part) for part in parts])
        if name == "Optional":
            found["nullable"] = True
        return found
    return {"types": []}


def merged(shapes):
    found = {"types": []}
    for one in shapes:
        found["types"] = sorted(set(found["types"]) | set(one.pop("types")))
        for key, value in one.items():
            found[key] = sorted(set(found[key]) | set(value)) if key == "enum" and key in found else value
    # Stripe's SDK widens its enumerations to any string; the enumeration is what Stripe documents.
    return found


def fields(node):
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id, part.annotation


def written(found, required=None):
    kept = {"type": "|".join(found["types"]) or "any"}
    if "enum" in found:
        kept["enum"] = [value for value in found["enum"] if value != ""]
    for key in ("nullable", "expandable", "list"):
        if found.get(key):
            kept[key] = True
    if required:
        kept["required"] = True
    return kept


def parameters(known, name, prefix=""):
    table = {}
    for field, annotation in fields(known[name]):
        head = getattr(getattr(annotation, "value", None), "id", "")
        found = shape(annotation)
        key = prefix + field
        table[key] = written(found, head != "NotRequired")
        inner = found
        if "items" in found:
            inner, key = found["items"], key + "[]"
            table[key] = written(inner)
        if "map" in inner["types"]:
            table[key + ".*"] = {"type": "string"}
        if field in OPENED and inner.get("class") in known:
            table.update(parameters(known, inner["class"], key + "."))
    return table


def route(path, method):
    for function in ast.walk(ast.parse((ROOT / "stripe" / path).read_text())):
        if isinstance(function, ast.FunctionDef) and function.name == method:
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "_request":
                    verb, address = call.args[0], call.args[1]
                    address = address.func.value if isinstance(address, ast.Call) else address
                    return verb.value.upper(), address.value
    raise SystemExit(f"no route in {path}: {method}")


def operation(name, service, method, params, answers):
    verb, address = route(service, method)
    known = classes("params/" + params)
    root = next(name for name in known if name.endswith("Params") and not any(
        other != name and name.startswith(other) for other in known))
    found = {"name": name, "method": verb, "path": address, "answers": answers}
    found["list"] = method == "list"
    found["parameters"] = parameters(known, root)
    return found


def fields_of(path, name):
    known = classes(path)
    tree = ast.parse((ROOT / "stripe" / path).read_text())
    top = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    table = {field: written(shape(annotation)) for field, annotation in fields(top)}
    if "PaymentMethodDetails" in known and name == "Charge":
        types = [field for field, _ in fields(known["PaymentMethodDetails"])]
        table["payment_method_details"]["types"] = sorted(set(types) - {"type"})
    if name == "Event":
        table["type"]["enum"] = [event for event in table["type"]["enum"] if event.startswith(EVENTS)]
    return table


def main():
    version = classes("_api_version.py")["_ApiVersion"].body[0].value.value
    sdk = (ROOT / "stripe" / "_version.py").read_text().split('"')[1]
    json.dump({
        "source": {
            "document": "the OpenAPI document of Stripe, github.com/stripe/openapi",
            "read_from": f"the SDK for Python that Stripe generates from it, stripe {sdk} on PyPI",
            "api_version": version,
            "license": "MIT, copyright Stripe, Inc.",
        },
        "operations": [operation(*one) for one in OPERATIONS],
        "objects": {name: fields_of(*where) for name, where in OBJECTS.items()},
    }, sys.stdout, indent=1)
    print()


main()
