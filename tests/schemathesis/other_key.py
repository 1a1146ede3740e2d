"""A check for requests with a key of the other space: there is one answer to them, whatever else they hold."""

import schemathesis


@schemathesis.check
def other_keys_are_refused(_context, response, case):
    known = case.operation.method.upper() == response.request.method.upper()
    sent = "Authorization" in response.request.headers
    expected = (405, "METHOD_NOT_ALLOWED") if not known else (401, "INVALID_API_KEY" if sent else "UNAUTHENTICATED")
    assert (response.status_code, response.json()["error"]["code"]) == expected, f"expected {expected}"
