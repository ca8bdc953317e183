"""What does a kill -9 leave, at whatever moment? The old files or the new ones, whole, and no process."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from torture.faults.commands import COMMANDS, Command, prepare, started

OLD = b"what stood here before\n"


@dataclass
class Tried:
    kills: dict[str, int] = field(default_factory=dict)
    during: dict[str, int] = field(default_factory=dict)
    """Kills that met the command at work."""
    wrong: list[str] = field(default_factory=list)


def run(kills: int, seed: int = 0, commands: tuple[Command, ...] = COMMANDS, studies: bool = True) -> Tried:
    """So many kills of every command and of a study, at random moments."""
    done = Tried()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for command in commands:
            _commands(command, folder, kills, rng, done)
        if studies:
            _studies(folder, kills, rng, done)
    return done


def _commands(command: Command, folder: Path, kills: int, rng: random.Random, done: Tried) -> None:
    begun = time.monotonic()
    whole = started(command.words, folder)
    whole.communicate(timeout=300)
    took = time.monotonic() - begun
    new = {file: (folder / file).read_bytes() for file in (*command.writes, *command.lines)}
    for _ in range(kills):
        for file in command.writes:
            (folder / file).write_bytes(OLD)
        for file in command.lines:
            (folder / file).unlink(missing_ok=True)
        # Files are written at the end, so that most kills are aimed at the last fifth.
        moment = rng.uniform(0.75, 1.05) * took if rng.random() < 0.7 else rng.uniform(0, took)
        _killed(command.words, folder, moment, command.name, done)
        for file in command.writes:
            left = (folder / file).read_bytes()
            whole_page = (
                command.name == "watch" and left.startswith(b"<!") and left.rstrip().endswith(b"</html>")
            )
            if left not in (OLD, new[file]) and not whole_page:  # watch writes its page after every block
                done.wrong.append(
                    f"{command.name}: {file} is neither the old nor the new one after {moment:.2f} s"
                )
        for file in command.lines:
            text = (folder / file).read_bytes() if (folder / file).exists() else b""
            if not new[file].startswith(text) or not _lines_are_whole(text):
                done.wrong.append(f"{command.name}: {file} ends in the middle of a line after {moment:.2f} s")
    for part in folder.glob(".steelyard-*.part"):
        part.unlink()


def _lines_are_whole(text: bytes) -> bool:
    try:
        return all(isinstance(json.loads(line), dict) for line in text.splitlines())
    except ValueError:
        return False


def _killed(words: tuple[str, ...], folder: Path, moment: float, name: str, done: Tried) -> int:
    """Start the command and kill its process, and only that one, after so many seconds; its number."""
    process = started(words, folder)
    try:
        process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()  # not for the ends of its pipes, which a worker that lives on would hold open
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        done.during[name] = done.during.get(name, 0) + 1
    done.kills[name] = done.kills.get(name, 0) + 1
    return process.pid


STUDY = ("study", "run", "branco2017-cases", "--out", "results", "--workers", "2")


def _studies(folder: Path, kills: int, rng: random.Random, done: Tried) -> None:
    """A study that is killed leaves no worker, and gives the same result when it is run again."""
    begun = time.monotonic()
    started(STUDY, folder).communicate(timeout=600)
    took = time.monotonic() - begun
    result = folder / "results" / "branco2017-cases" / "result.json"
    whole = _without_times(result)
    for _ in range(max(2, kills // 2)):
        shutil.rmtree(folder / "results")
        pid = _killed(STUDY, folder, rng.uniform(0.3, 0.95) * took, "study", done)
        left = _still_there(pid, seconds=20)
        if left:
            done.wrong.append(f"study: {len(left)} workers live on after the kill")
            for orphan in left:
                os.kill(orphan, signal.SIGKILL)
        again = started(STUDY, folder)
        _, words = again.communicate(timeout=600)
        if again.returncode or _without_times(result) != whole:
            done.wrong.append(f"study: another result after a kill ({again.returncode}: {words[-200:]!r})")


def _without_times(path: Path) -> object:
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def stripped(value: object) -> object:
        if isinstance(value, dict):
            kept = {k: v for k, v in value.items() if k not in ("seconds", "started", "finished", "workers")}
            return {key: stripped(part) for key, part in kept.items()}
        return [stripped(part) for part in value] if isinstance(value, list) else value

    return stripped(found)


def _still_there(session: int, seconds: float) -> list[int]:
    """The processes of a session that are still there after so many seconds."""
    until = time.monotonic() + seconds
    while True:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[3]) == session and fields[0] != "Z":
                    found.append(int(entry.name))
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.2)
