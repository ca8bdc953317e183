"""What happens on a full disk and with little memory? One sentence, exit code 2, and the old file stays."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from torture.faults.commands import COMMANDS, Command, environment, prepare
from torture.faults.killing import OLD


@dataclass
class Tried:
    disk: int = 0
    own_file_system: int = 0
    memory: int = 0
    finished: int = 0
    """Runs within a limit of memory that ended as they should."""
    wrong: list[str] = field(default_factory=list)


LIMITED = (
    "import resource, sys; resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2); "
    "sys.argv = ['steelyard', *sys.argv[3:]]; from steelyard.cli import main; sys.exit(main(sys.argv[1:]))"
)


def limited(
    limit: str, size: int, words: tuple[str, ...], folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process that may write files, or take memory, of this size only."""
    variables = environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run(
        [sys.executable, "-c", LIMITED, limit, str(size), *words],
        cwd=folder,
        env=variables,
        capture_output=True,
        timeout=300,
        check=False,
    )


def run(
    memory_steps: tuple[int, ...] = (300, 450, 600, 900), commands: tuple[Command, ...] = COMMANDS
) -> Tried:
    """Every command on a disk that takes 256 bytes a file, on a file system of its own where one may be made, and in little memory."""
    done = Tried()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for command in commands:
            for file in command.writes:
                (folder / file).write_bytes(OLD)
            ended = limited("RLIMIT_FSIZE", 256, command.words, folder)
            done.disk += 1
            _check(done, f"{command.name} on a full disk", ended, folder, command.writes)
            for megabytes in memory_steps:
                _memory(done, command.name, command.words, megabytes, folder)
        _tmpfs(done, folder)
    return done


def _check(
    done: Tried, what: str, ended: subprocess.CompletedProcess[bytes], folder: Path, files: tuple[str, ...]
) -> None:
    words = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    for file in files:
        if (folder / file).read_bytes() != OLD:  # all files of a command are written, or none
            done.wrong.append(f"{what}: {file} is no longer the old one")
    if ended.returncode != 2 or any("Traceback" in line for line in words):
        done.wrong.append(f"{what}: exit {ended.returncode}, {words[-1:]}")
    elif not any(line.startswith("steelyard: ") for line in words):
        done.wrong.append(f"{what}: no sentence, {words[-1:]}")


def _memory(done: Tried, name: str, words: tuple[str, ...], megabytes: int, folder: Path) -> None:
    """It ends well, or ends; a process that runs on without memory, or half a file, would be wrong."""
    for file in folder.glob("*.html"):
        file.write_bytes(OLD)
    try:
        ended = limited("RLIMIT_AS", megabytes << 20, words, folder)
    except subprocess.TimeoutExpired:
        done.wrong.append(f"{name} in {megabytes} MB: does not end")
        return
    done.memory += 1
    done.finished += ended.returncode in (0, 1, 3)
    for file in folder.glob("*.html"):
        left = file.read_bytes()
        if left != OLD and not left.rstrip().endswith(b"</html>"):
            done.wrong.append(f"{name} in {megabytes} MB: {file.name} is half a page")


def _tmpfs(done: Tried, folder: Path) -> None:
    """A file system of 16 KiB; only where this user may mount one."""
    small = folder / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if mounted.returncode:
        return
    try:
        page = small / "r.html"
        page.write_bytes(OLD)
        words = ("evaluate", "rows.csv", "--truth", "y", "--pred", "a", "--html", str(page))
        ended = subprocess.run(
            [sys.executable, "-m", "steelyard", *words],
            cwd=folder,
            env=environment(),
            capture_output=True,
            check=False,
        )
        done.own_file_system += 1
        said = ended.stderr.decode().strip()
        if ended.returncode != 2 or "No space left" not in said or "Traceback" in said:
            done.wrong.append(f"evaluate on a full file system: exit {ended.returncode}, {said[-200:]}")
        if page.read_bytes() != OLD or [file.name for file in small.iterdir()] != ["r.html"]:
            done.wrong.append(
                f"evaluate on a full file system leaves {[file.name for file in small.iterdir()]}"
            )
    finally:
        subprocess.run(["umount", str(small)], check=False, capture_output=True)
