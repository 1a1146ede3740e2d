#!/usr/bin/env python3
"""The manifests of deploy/kubernetes against the schemas that Kubernetes publishes, and against what they promise. Also the
features of the image that they run.

    python3 tests/kubernetes/run.py [--version 1.31]

Schemas come with the package of requirements.txt, which is installed into a folder that goes afterwards. They are strict: a
field that Kubernetes does not know is a fault. Each check is then tried on a manifest that breaks it, so that it is known to
find something.

The status is 1 when a manifest is wrong, and 69 when the package cannot be installed here.
"""

import argparse
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MANIFESTS = ROOT / "deploy" / "kubernetes"
UNAVAILABLE = 69
INSIDE = "KUBERNETES_SCHEMAS_ARE_HERE"
KINDS = ["Deployment", "Job", "PodDisruptionBudget", "Service"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="1.31", help="of the schemas (1.31)")
    asked = parser.parse_args()
    if os.environ.get(INSIDE) == "1":
        return check(asked.version)
    with tempfile.TemporaryDirectory(prefix="countinghouse-kubernetes-") as folder:
        python = installed(pathlib.Path(folder))
        if python is None:
            print("The schemas cannot be installed here: no venv, or no package index", file=sys.stderr)
            return UNAVAILABLE
        words = [python, __file__, "--version", asked.version]
        return subprocess.run(words, env={**os.environ, INSIDE: "1"}, check=False).returncode


def installed(folder):
    venv = folder / "venv"
    pip = [venv / "bin" / "pip", "install", "--quiet", "-r", HERE / "requirements.txt"]
    for words in ([sys.executable, "-m", "venv", venv], pip):
        if subprocess.run(words, check=False).returncode != 0:
            return None
    return venv / "bin" / "python"


def check(version):
    import yaml

    found = {}
    for file in sorted(MANIFESTS.glob("*.yaml")):
        for manifest in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            found[manifest["kind"]] = manifest
    wrong = [f"{kind}: {fault}" for kind, manifest in found.items() for fault in faults(manifest, version)]
    if sorted(found) != KINDS:
        wrong.append(f"these kinds are expected: {KINDS}, not {sorted(found)}")
    wrong += selectors(found)
    wrong += [f"the image is built without the feature {feature}" for feature in missing_in_image()]
    wrong += [f"a fault is not found: {what}" for what, broken in breaking(found) if not faults(broken, version)]
    for line in wrong:
        print(line)
    print(f"\n{len(found)} manifests, schemas of Kubernetes {version}: " + ("FAILED" if wrong else "all of it holds"))
    return 1 if wrong else 0


def faults(manifest, version):
    """What is wrong with one manifest: by its schema, and by what this service wants of it."""
    import kubernetes_validate

    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{'.'.join(map(str, error.path))}: {error.message}"]
    pod = manifest.get("spec", {}).get("template", {}).get("spec")
    return [] if pod is None else [*of_pod(manifest, pod)]


def of_pod(manifest, pod):
    if pod.get("securityContext", {}).get("runAsNonRoot") is not True:
        yield "runs as root"
    if pod.get("enableServiceLinks") is not False:
        yield "is given variables of the Service, which the settings refuse as unknown"
    for container in pod["containers"]:
        context = container.get("securityContext", {})
        if context.get("readOnlyRootFilesystem") is not True:
            yield "can write to its root file system"
        if context.get("allowPrivilegeEscalation") is not False or context.get("capabilities") != {"drop": ["ALL"]}:
            yield "has more rights than it needs"
        for one in container["env"]:
            is_secret = one["name"] in ("DATABASE_URL", "COUNTINGHOUSE_MASTER_KEY", "COUNTINGHOUSE_REDIS_URL")
            if is_secret and "secretKeyRef" not in one.get("valueFrom", {}):
                yield f"{one['name']} is not a reference to a secret"
        probes = ["startupProbe", "livenessProbe", "readinessProbe"]
        if manifest["kind"] == "Deployment" and not all(probe in container for probe in probes):
            yield "has no probes"


def selectors(found):
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    chosen = [found["Service"]["spec"]["selector"], found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]]
    missed = [one for one in chosen if not one.items() <= labels]
    job = found["Job"]["spec"]["template"]["metadata"]["labels"].items()
    return [f"no process is selected by {one}" for one in missed] + [
        f"the migration is selected by {one}" for one in chosen if one.items() <= job
    ]


def missing_in_image():
    """The optional features, each of them behind a setting, that the image is built without."""
    manifest = tomllib.loads((ROOT / "crates" / "app" / "Cargo.toml").read_text(encoding="utf-8"))
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    built = re.search(r"^ARG FEATURES=(\S+)$", dockerfile, re.MULTILINE)
    is_passed = '--package app --features "$FEATURES"' in dockerfile
    built_with = built[1].split(",") if built and is_passed else []
    return sorted(set(manifest["features"]) - set(built_with))


def breaking(found):
    """A few manifests that must not pass."""

    def without(what, change):
        broken = copy.deepcopy(found["Deployment"])
        change(broken["spec"]["template"]["spec"], broken["spec"]["template"]["spec"]["containers"][0])
        return what, broken

    yield without("an unknown field", lambda pod, _: pod.update(containres=[]))
    yield without("a text for a number", lambda _, one: one["livenessProbe"].update(periodSeconds="often"))
    yield without("a writable root", lambda _, one: one["securityContext"].update(readOnlyRootFilesystem=False))
    yield without("root", lambda pod, _: pod.pop("securityContext"))
    yield without("variables of the Service", lambda pod, _: pod.update(enableServiceLinks=True))
    yield without("no readiness", lambda _, one: one.pop("readinessProbe"))
    yield without("a secret in the open", lambda _, one: one["env"][0].update(value="postgres://", valueFrom={}))


if __name__ == "__main__":
    sys.exit(main())
