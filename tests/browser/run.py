#!/usr/bin/env python3
"""The pages in a real browser, without JavaScript, on both databases.

    python3 tests/browser/run.py [--binary target/debug/countinghouse] [--database sqlite|postgres] [--pictures FOLDER]

It needs Chromium (`apt-get install chromium`) and a Python with venv; PostgreSQL's programs for the second database. Everything
happens in a temporary folder, which goes afterwards.

The status is 1 when a check failed, 2 when the service did not start, and 69 when there is no browser here.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
UNAVAILABLE = 69
# The time limit of a walk in seconds; a walk takes less than a minute.
PATIENCE = 600


def main():
    asked = arguments()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("there is no Chromium here", file=sys.stderr)
        return UNAVAILABLE
    with tempfile.TemporaryDirectory(prefix="countinghouse-browser-") as folder:
        python = installed(pathlib.Path(folder))
        if python is None:
            print("Playwright cannot be installed here: no venv, or no package index", file=sys.stderr)
            return UNAVAILABLE
        databases = asked.database or ["sqlite", "postgres"]
        walks = [(walk, database) for walk in ("journey.py", "reminders.py") for database in databases]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
            holds = list(executor.map(lambda walk: walked(python, chromium, asked.binary, *walk), walks))
        failed = [f"{walk} on {database}" for (walk, database), held in zip(walks, holds) if not held]
        if asked.pictures:
            held, said = ran([python, HERE / "pictures.py", chromium, asked.binary, asked.pictures])
            print(said, end="")
            failed += [] if held else ["the pictures"]
    print("\nBrowser: " + ("all of it holds" if not failed else "FAILED on " + ", ".join(failed)))
    return 1 if failed else 0


def walked(python, chromium, binary, walk, database):
    """Whether a walk through the pages holds on a database. What it said is printed at its end, in one piece."""
    held, said = ran([python, HERE / walk, chromium, binary, database])
    print(f"\n=== {walk} on {database}\n{said}", end="", flush=True)
    return held


def ran(words):
    """Whether a program succeeded, and what it said."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    # `timeout` ends a program that hangs, and its output so far is printed.
    words = ["timeout", str(PATIENCE), *words]
    ended = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return ended.returncode == 0, ended.stdout


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target" / "debug" / "countinghouse")
    parser.add_argument("--database", choices=["sqlite", "postgres"], action="append", help="both where it is left out")
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for the pictures of the documentation")
    return parser.parse_args()


def installed(folder):
    """A Python with what requirements.txt names; None where there is no way to it."""
    venv = folder / "venv"
    pip = [venv / "bin" / "pip", "install", "--quiet", "-r", HERE / "requirements.txt"]
    for words in ([sys.executable, "-m", "venv", venv], pip):
        if subprocess.run(words).returncode != 0:
            return None
    return venv / "bin" / "python"


if __name__ == "__main__":
    sys.exit(main())
