"""Is what the tests run on what it should be? A lock with hashes, the installed files against their records, licences.

`python -m torture.supply` writes test-environment.lock anew: every package of this environment with its version and the hash of the
file that pip takes for it here. Known vulnerabilities are not looked up: that needs a database on the network.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

LOCK = Path(__file__).with_name("test-environment.lock")
OWN = {"steelyard", "pip", "setuptools", "wheel"}


@dataclass
class Audit:
    packages: int = 0
    files: int = 0
    locked: int = 0
    other_version: list[str] = field(default_factory=list)
    """Packages that are installed in another version than the lock has: no fault, but not what was recorded."""
    without_licence: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, str]:
    """The versions in the lock."""
    found = re.findall(r"^([a-z0-9-]+)==(\S+) ", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(found)


def audit() -> Audit:
    """Every installed package: the version of the lock, a licence, and files as their record says."""
    done = Audit()
    known = locked()
    done.locked = len(known)
    for package in metadata.distributions():
        name = normal(package.metadata["Name"])
        if name in OWN:
            continue
        done.packages += 1
        if name in known and known[name] != package.version:
            done.other_version.append(f"{name} {package.version}, locked {known[name]}")
        if not licence_of(package):
            done.without_licence.append(name)
        done.wrong += _changed_files(done, name, package)
    return done


def licence_of(package: metadata.Distribution) -> str:
    """The licence that the package's own metadata declares, or one of its licence files."""
    told: Any = package.metadata
    classifiers = [c for c in told.get_all("Classifier") or [] if c.startswith("License ::")]
    files = [str(f) for f in package.files or [] if re.search(r"licen[cs]e|copying", str(f), re.IGNORECASE)]
    return next(
        (t for t in (told.get("License-Expression"), told.get("License"), *classifiers, *files) if t), ""
    )


def _changed_files(done: Audit, name: str, package: metadata.Distribution) -> list[str]:
    wrong = []
    for file in package.files or []:
        if file.hash is None or file.hash.mode != "sha256":
            continue
        path = Path(str(file.locate()))
        if not path.exists():
            wrong.append(f"{name}: {file} is gone")
            continue
        done.files += 1
        digest = hashlib.sha256(path.read_bytes()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            wrong.append(f"{name}: {file} was changed after it was installed")
    return wrong


def write_lock() -> None:
    """Ask pip which file it takes for each installed package, and keep version and hash."""
    installed = {
        normal(p.metadata["Name"]): p.version
        for p in metadata.distributions()
        if normal(p.metadata["Name"]) not in OWN
    }
    with tempfile.TemporaryDirectory() as name:
        asked, report = Path(name) / "asked.txt", Path(name) / "report.json"
        asked.write_text("".join(f"{n}=={v}\n" for n, v in sorted(installed.items())), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
             "--report", str(report), "--requirement", str(asked)],
            check=True,
        )  # fmt: skip
        told: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    lines = [
        "# Written by `python -m torture.supply`: the environment in which the figures of docs/reliability.md were measured.",
        f"# Python {sys.version_info.major}.{sys.version_info.minor}, {sys.platform}. Install it with pip install --require-hashes --no-deps -r FILE.",
    ]
    for item in sorted(told["install"], key=lambda item: normal(item["metadata"]["name"])):
        hashes = item["download_info"]["archive_info"]["hashes"]
        lines.append(
            f"{normal(item['metadata']['name'])}=={item['metadata']['version']} --hash=sha256:{hashes['sha256']}"
        )
    LOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_lock()
