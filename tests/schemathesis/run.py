#!/usr/bin/env python3
"""Schemathesis against the service and its own OpenAPI document.

    python3 tests/schemathesis/run.py [--cases 1000] [--seed N] [--space partner] [--binary target/debug/countinghouse]

Everything happens in a temporary folder, which goes afterwards: a virtual environment with the Schemathesis of
requirements.txt, the service on an empty embedded database (or, where DATABASE_URL is set, on that PostgreSQL database, which
should be empty too), an account, a few records. Then all checks run over each key space with its own key, stateful sequences
too, and over each with a key of the other space, which is answered with 401 whatever the request holds.

The status is 1 when a check failed, 2 when the service did not start, and 69 when Schemathesis cannot be installed here.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
UNAVAILABLE = 69
# Any 32 bytes: the database is temporary.
MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
# Checks that apply when every request is refused.
OF_STRANGERS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
                "response_schema_conformance", "unsupported_method", "allow_header_conformance", "other_keys_are_refused"]
OWN = {"account": "^/(invoices|contacts|escalations)", "partner": "^/partner"}


def main():
    asked = arguments()
    # SIGTERM ends this program in order, so that it stops the service too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="countinghouse-schemathesis-") as folder:
        folder = pathlib.Path(folder)
        tool = installed(folder)
        if tool is None:
            print("Schemathesis cannot be installed here: no venv, or no package index", file=sys.stderr)
            return UNAVAILABLE
        with Service(asked.binary, folder) as service:
            os.environ["ESCALATION"] = service.escalation
            failed = [one[0] for one in runs(service, asked) if not run(tool, folder, *one)]
            failed += service.faults()
    print("\nSchemathesis: " + ("all of it holds" if not failed else "FAILED: " + ", ".join(failed)))
    return 1 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10, help="the most cases of each operation in each phase (10)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="to repeat a run")
    parser.add_argument("--space", choices=list(OWN), action="append", help="one key space; both where it is left out")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target" / "debug" / "countinghouse")
    return parser.parse_args()


def installed(folder):
    """The program in a virtual environment of its own; None where there is no way to it."""
    venv = folder / "venv"
    pip = [venv / "bin" / "pip", "install", "--quiet", "-r", HERE / "requirements.txt"]
    tool = venv / "bin" / "schemathesis"
    for words in ([sys.executable, "-m", "venv", venv], pip, [tool, "--version"]):
        if subprocess.run(words).returncode != 0:
            return None
    return tool


class Service:
    """A running `countinghouse serve` with a partner, an account and a record of each kind."""

    def __init__(self, binary, folder):
        self.binary, self.folder = str(binary.resolve()), folder
        self.log = folder / "service.log"
        settings = {
            "COUNTINGHOUSE_DATA_DIR": str(folder / "data"),
            "COUNTINGHOUSE_MASTER_KEY": MASTER_KEY,
            "COUNTINGHOUSE_LISTEN": "127.0.0.1:0",
            "COUNTINGHOUSE_LOG_FORMAT": "json",
            "COUNTINGHOUSE_READS_PER_MINUTE": "100000000",
            "COUNTINGHOUSE_WRITES_PER_MINUTE": "100000000",
        }
        kept = {name: os.environ[name] for name in ("PATH", "DATABASE_URL") if name in os.environ}
        self.environment = kept | settings

    def __enter__(self):
        self.command("migrate")
        self.partner = self.command("partner", "create", "--name", "Schemathesis")["partner_key"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve"], env=self.environment, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
            )
        try:
            self.base = f"http://{self.address()}"
            self.fill()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def command(self, *words):
        said = subprocess.run(
            [self.binary, *words, "--json"], env=self.environment, cwd=self.folder, capture_output=True, check=True
        )
        return json.loads(said.stdout)

    def address(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self.events():
                if "listening" in line:
                    return line["listening"]
            time.sleep(0.05)
        print(self.log.read_text(), file=sys.stderr)
        sys.exit(2)

    def events(self):
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                pass  # The last line may be incomplete.

    def fill(self):
        owner = {"company_name": "Schemathesis", "email": "owner@example.com"}
        account = self.post("/partner/accounts", self.partner, owner)
        self.account, self.account_id = account["api_key"], account["id"]
        invoice = self.post("/invoices", self.account, {
            "contact": {"name": "Ada", "email": "ada@example.com"},
            "line_items": [{"description": "Tea", "unit_amount": 10, "tax_rate": 10}],
        })
        self.invoice, self.contact = invoice["id"], invoice["contact"]["id"]
        self.escalation = self.command(
            "escalation", "raise", "--account", self.account_id, "--type", "dispute", "--channel", "email",
            "--invoice", self.invoice, "--statement", "No tea came.",
        )["id"]

    def post(self, path, key, body):
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/api/v1{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def faults(self):
        """What a service that is well does not do: stop, or log an error."""
        errors = [line for line in self.events() if line.get("level") == "ERROR"]
        for line in errors[:20]:
            print(json.dumps(line))
        stopped = ["the service stopped"] if self.process.poll() is not None else []
        return stopped + ([f"{len(errors)} errors in the log"] if errors else [])


def runs(service, asked):
    """Name, hooks and arguments of each run."""
    common = ["--seed", str(asked.seed), "--url", f"{service.base}/api/v1", "--request-timeout", "30", "--continue-on-failure"]
    for space in asked.space or OWN:
        own, other = (service.account, service.partner) if space == "account" else (service.partner, service.account)
        chosen = [*common, "--include-path-regex", OWN[space]]
        words = ["--header", f"Authorization: Bearer {own}", "--max-examples", str(asked.cases), "--checks", "all"]
        # Deleting an account only switches it off: it still exists, and can be switched on again.
        words += ["--exclude-checks", "use_after_free"] if space == "partner" else []
        yield f"{space} operations", "own_key", [*chosen, *words]
        words = ["--header", f"Authorization: Bearer {other}", "--checks", ",".join(OF_STRANGERS)]
        words += ["--phases", "examples,coverage,fuzzing", "--max-examples", str(asked.cases)]
        yield f"{space} operations with a key of the other space", "other_key", [*chosen, *words]


def run(tool, folder, name, hooks, words):
    print(f"\n=== {name}", flush=True)
    started = time.monotonic()
    environment = os.environ | {"SCHEMATHESIS_HOOKS": hooks, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    place = folder / name.replace(" ", "-")
    place.mkdir()
    document = place / "openapi.json"
    shutil.copy(ROOT / "openapi.json", document)
    words = [tool, "--config-file", HERE / "schemathesis.toml", "run", document, *words]
    status = subprocess.run(words, cwd=place, env=environment).returncode
    print(f"--- {name}: status {status}, {time.monotonic() - started:.0f} s", flush=True)
    return status == 0


if __name__ == "__main__":
    sys.exit(main())
