#!/usr/bin/env python3
"""The service on one PostgreSQL and on a Citus cluster of three servers, in turns, on this machine.

    python3 tests/citus/bench.py --binary target/dist/countinghouse [--seconds 5] [--rounds 3] [--connections 8] [--json]

It needs wrk, and a PostgreSQL with the extension (tests/citus/README.md). All servers write to the disk as in operation. For each
database it prints requests a second, their times, processor time of the service and of the database for a request, WAL and table
bytes for an invoice; and the cluster's rates as parts of the one server's. `cargo xtask scale FILE` reads what --json prints.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
GOALS = {"POST /invoices": 0.3, "GET /invoices/{id}": 0.4}
CASES = {"POST /invoices": "post", "GET /invoices/{id}": "get", "GET /invoices": "list"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--programs", default=os.environ.get("CITUS_BIN", "/usr/lib/postgresql/15/bin"))
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--accounts", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="countinghouse-citus-bench-") as folder:
        sides = [Side(name, asked, pathlib.Path(folder) / name) for name in ("postgres", "citus")]
        try:
            rows = [row for case in CASES for row in measure(case, sides, asked)]
        finally:
            for side in sides:
                side.stop()
    if asked.json:
        print(json.dumps(rows, indent=2))
    else:
        show(rows)
    return 0


def measure(case, sides, asked):
    measured = {side.name: [] for side in sides}
    for number in range(asked.rounds + 1):
        for side in sides:
            one = side.load(case, f"{CASES[case]}{number}", asked)
            # The first round warms caches and prepared statements.
            if number > 0:
                measured[side.name].append(one)
    plain, cluster = measured["postgres"], measured["citus"]
    ratios = [theirs["rate"] / ours["rate"] for ours, theirs in zip(plain, cluster)]
    for name, rounds in measured.items():
        row = {"database": name, "case": case, "connections": asked.connections, "unit": "/s"}
        for value in rounds[0]:
            row[value] = statistics.median(one[value] for one in rounds)
        if name == "citus":
            row["ratio_to_postgres"] = {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}
            if case in GOALS:
                row["goal"] = GOALS[case]
                row["reached"] = row["ratio_to_postgres"]["median"] >= GOALS[case]
        yield row


class Side:
    """A database with the service on it."""

    def __init__(self, name, asked, folder):
        self.name, self.folder = name, folder
        folder.mkdir()
        self.ports = [free_port() for _ in range(3 if name == "citus" else 1)]
        words = [HERE / "cluster.sh", asked.programs, *map(str, self.ports)]
        environment = {**os.environ, "DURABLE": "1", "SHARDS": "32", "MORE_OPTIONS": "-c shared_buffers=256MB"}
        self.cluster = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        first = self.cluster.stdout.readline()
        if not first.startswith("ready "):
            sys.exit(f"{name} did not start: {first}{self.cluster.stdout.read()}")
        self.data = pathlib.Path(first.split()[1])
        self.tell("create bench")
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": f"postgres://postgres@127.0.0.1:{self.ports[0]}/bench",
            "COUNTINGHOUSE_MASTER_KEY": MASTER_KEY,
            "COUNTINGHOUSE_DATA_DIR": str(folder),
            "COUNTINGHOUSE_CITUS": "true" if name == "citus" else "false",
            "COUNTINGHOUSE_READS_PER_MINUTE": "1000000000",
            "COUNTINGHOUSE_WRITES_PER_MINUTE": "1000000000",
            "COUNTINGHOUSE_LISTEN": f"127.0.0.1:{free_port()}",
        }
        self.base = "http://" + self.environment["COUNTINGHOUSE_LISTEN"]
        self.binary = str(pathlib.Path(asked.binary).resolve())
        self.command("migrate", "up")
        partner = json.loads(self.command("partner", "create", "--name", "Bench", "--json"))["partner_key"]
        self.service = subprocess.Popen([self.binary, "serve"], cwd=folder, env=self.environment, stdout=subprocess.DEVNULL,
                                        stderr=open(folder / "log", "w", encoding="utf-8"))
        self.wait()
        self.keys = folder / "keys"
        self.fill(partner, asked.accounts)

    def command(self, *words):
        done = subprocess.run([self.binary, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"{self.name}: {words}: {done.stderr}")
        return done.stdout

    def wait(self):
        for _ in range(300):
            try:
                urllib.request.urlopen(self.base + "/health/ready", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"{self.name}: the service did not start: {(self.folder / 'log').read_text()}")

    def fill(self, partner, accounts):
        with self.keys.open("w", encoding="utf-8") as keys:
            for number in range(accounts):
                account = self.post("/partner/accounts", partner, {
                    "company_name": f"Company {number}", "email": f"owner{number}@example.com"})
                invoice = self.post("/invoices", account["api_key"], {
                    "contact": {"name": "Ada Lovelace", "email": "ada@example.com"},
                    "line_items": [{"description": f"Item {n}", "quantity": 1, "unit_amount": 10} for n in range(3)]})
                keys.write(f"{account['api_key']} {invoice['contact']['id']} {invoice['id']}\n")

    def post(self, path, key, body):
        request = urllib.request.Request(self.base + "/api/v1" + path, json.dumps(body).encode(), {
            "Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": os.urandom(12).hex()})
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def load(self, case, round_name, asked):
        words = ["wrk", "--threads", "2", "--connections", str(asked.connections), "--duration", f"{asked.seconds}s",
                 "--script", HERE / "bench.lua", self.base]
        environment = {**os.environ, "BENCH_KEYS": str(self.keys), "BENCH_CASE": CASES[case], "BENCH_ROUND": round_name}
        before = (self.wal(), *self.processor_times(), self.service_time(), self.size())
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        after = (self.wal(), *self.processor_times(), self.service_time(), self.size())
        result = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not result:
            sys.exit(f"{self.name}: {done.stdout}{done.stderr}")
        rate, p50, p99, errors = map(float, result[0].split()[1:])
        if errors:
            sys.exit(f"{self.name}: {case}: {errors:.0f} answers are errors")
        count = rate * asked.seconds
        wal, coordinator, workers, service, size = (new - old for new, old in zip(after, before))
        return {"rate": rate, "p50_ms": p50, "p99_ms": p99, "service_cpu_us": service / count * 1e6,
                "coordinator_cpu_us": coordinator / count * 1e6, "worker_cpu_us": workers / count * 1e6,
                "wal_bytes": wal / count, "table_bytes": size / count}

    def wal(self):
        asked = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
        return sum(float(self.ask(port, asked)) for port in self.ports)

    def size(self):
        asked = "SELECT pg_database_size('bench')"
        return sum(float(self.ask(port, asked)) for port in self.ports)

    def ask(self, port, statement):
        words = ["psql", "-X", "-At", "-d", f"postgres://postgres@127.0.0.1:{port}/bench", "-c", statement]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def processor_times(self):
        """Of the processes of the first server and of the others, also of those that have ended: seconds."""
        first, *others = (self.processor_time(port) for port in self.ports)
        return first, sum(others)

    def processor_time(self, port):
        postmaster = int((self.data / str(port) / "postmaster.pid").read_text().split()[0])
        total = times(postmaster, with_children=True)
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == postmaster:
                    total += times(int(stat.parent.name))
            except (OSError, IndexError):
                continue
        return total

    def service_time(self):
        return times(self.service.pid)

    def tell(self, words):
        self.cluster.stdin.write(words + "\n")
        self.cluster.stdin.flush()
        said = ""
        for line in self.cluster.stdout:
            if line == "done\n":
                return
            said += line
            if line == "failed\n":
                break
        sys.exit(f"{self.name}: {words}: {said}")

    def stop(self):
        self.service.terminate()
        self.service.wait()
        self.cluster.stdin.close()
        self.cluster.wait()


def times(pid, with_children=False):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    ticks = [int(value) for value in fields[11:15 if with_children else 13]]
    return sum(ticks) / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def show(rows):
    heads = ["case", "database", "rate", "p50 / p99 ms", "CPU us: service, first server, others", "WAL, table bytes",
             "of PostgreSQL", "goal"]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        ratio = row.get("ratio_to_postgres")
        spread = f"{ratio['median']:.2f} ({ratio['least']:.2f}-{ratio['most']:.2f})" if ratio else ""
        goal = f">= {row['goal']}: {'yes' if row['reached'] else 'NO'}" if "goal" in row else ""
        lines.append([row["case"], row["database"], f"{row['rate']:.0f} /s", f"{row['p50_ms']:.2f} / {row['p99_ms']:.2f}",
                      f"{row['service_cpu_us']:.0f}, {row['coordinator_cpu_us']:.0f}, {row['worker_cpu_us']:.0f}",
                      f"{row['wal_bytes']:.0f}, {row['table_bytes']:.0f}", spread, goal])
    for line in lines:
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    sys.exit(main())
