"""A running `countinghouse serve` on a database of its own, with its commands, and a receiver of webhooks."""

import http.server
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

# Any 32 bytes: the database is temporary.
MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


class Postgres:
    """A private PostgreSQL server in a folder, on a socket and a loopback port."""

    def __init__(self, folder):
        self.folder = folder / "postgres"
        self.folder.mkdir()
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        initdb = shutil.which("initdb") or (str(programs[-1]) if programs else None)
        self.programs = pathlib.Path(initdb).parent if initdb else None

    def __enter__(self):
        # PostgreSQL does not run as root.
        self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.folder, "postgres", "postgres")
            for parent in self.folder.parents[:-2]:
                parent.chmod(0o755)
        data = self.folder / "data"
        self.run("initdb", "--pgdata", data, "--username=postgres", "--auth=trust", "--no-sync")
        port = free_port()
        options = f"-p {port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self.run("pg_ctl", "--pgdata", data, "-w", "-l", self.folder / "log", "-o", options, "start")
        self.url = f"postgres://postgres@127.0.0.1:{port}/postgres"
        return self

    def __exit__(self, *_):
        self.run("pg_ctl", "--pgdata", self.folder / "data", "-m", "immediate", "stop")

    def run(self, program, *words):
        command = [*self.as_user, self.programs / program, *words]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


class Receiver:
    """Takes webhooks by HTTPS on a loopback port and keeps what it gets."""

    def __init__(self, folder):
        self.certificate, self.key = folder / "receiver.pem", folder / "receiver.key"

    def __enter__(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=receiver",
             "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
             "-keyout", self.key, "-out", self.certificate],
            check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        received = self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append(json.loads(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Service:
    def __init__(self, binary, folder, database_url, trusted, more=None):
        self.binary, self.folder = str(binary.resolve()), folder
        self.log, self.printed = folder / "service.log", folder / "service.out"
        self.base = f"http://127.0.0.1:{free_port()}"
        settings = {
            "COUNTINGHOUSE_DATA_DIR": str(folder / "data"),
            "COUNTINGHOUSE_MASTER_KEY": MASTER_KEY,
            "COUNTINGHOUSE_LISTEN": self.base.removeprefix("http://"),
            "COUNTINGHOUSE_MIGRATE_ON_START": "true",
            "COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS": "true",
            "COUNTINGHOUSE_EXTRA_CA_FILE": str(trusted),
            "COUNTINGHOUSE_WORKER_INTERVAL": "1s",
            "COUNTINGHOUSE_SANDBOX": "true",
        }
        url = {"DATABASE_URL": database_url} if database_url else {}
        self.environment = {"PATH": os.environ["PATH"]} | url | settings | (more or {})

    def __enter__(self):
        with self.log.open("w") as log, self.printed.open("w") as printed:
            self.process = subprocess.Popen(
                [self.binary, "serve"], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=printed, stderr=log,
            )
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def wait_until_ready(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.base}/health/ready", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        print(self.log.read_text(), file=sys.stderr)
        sys.exit(2)

    def command(self, *words):
        said = subprocess.run(
            [self.binary, *words, "--json"], env=self.environment, cwd=self.folder, capture_output=True, check=True
        )
        return json.loads(said.stdout)

    def invitation(self):
        """The address at which the owner of the first account chooses a password."""
        printed = re.search(r"^Open the dashboard: (\S+)$", self.printed.read_text(), re.MULTILINE)
        if printed:
            return printed.group(1)
        partner = self.command("partner", "create", "--name", "First partner")["partner_key"]
        owner = {"company_name": "Example Company", "email": "owner@example.com"}
        account = self.call("/partner/accounts", partner, owner)["id"]
        return self.command("account", "invite", account)["invitation_url"]

    def call(self, path, key, body):
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/api/v1{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


def free_port():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        return server.server_port
