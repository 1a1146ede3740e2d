#!/usr/bin/env python3
"""The pages in a real browser, without JavaScript, on both databases.

    python3 tests/browser/run.py [--binary target/debug/countinghouse] [--database sqlite|postgres] [--pictures FOLDER]

It needs Chromium (`apt-get install chromium`) and a Python with venv; PostgreSQL's programs for the second database. Everything
happens in a temporary folder, which goes afterwards.

The status is 1 when a check failed, 2 when the service did not start, and 69 when there is no browser here.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
UNAVAILABLE = 69


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
        failed = []
        for database in asked.database or ["sqlite", "postgres"]:
            print(f"\n=== {database}", flush=True)
            environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
            for walk in ("journey.py", "reminders.py"):
                words = [python, HERE / walk, chromium, asked.binary, database]
                if subprocess.run(words, env=environment).returncode != 0:
                    failed.append(f"{walk} on {database}")
        if asked.pictures:
            words = [python, HERE / "pictures.py", chromium, asked.binary, asked.pictures]
            if subprocess.run(words, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).returncode != 0:
                failed.append("the pictures")
    print("\nBrowser: " + ("all of it holds" if not failed else "FAILED on " + ", ".join(failed)))
    return 1 if failed else 0


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
