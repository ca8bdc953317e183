"""Processes of users' functions that are forked from one that has imported everything: to start Python and import NumPy
takes most of what such a test costs. Each is still a process of its own, which runs the same `main`."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from steelyard.proofs import processes


@pytest.fixture(scope="module")
def forked_answers() -> Iterator[None]:
    """For modules that ask many functions; how the processes are started is tested in proofs/test_user_process.py."""
    if not hasattr(os, "pidfd_open"):  # only Linux tells when a process ends that is no child
        yield
        return
    here, there = socket.socketpair()
    with here, pytest.MonkeyPatch.context() as patch:
        with there:
            words = [
                sys.executable,
                "-P",
                str(Path(__file__).with_name("answer_server.py").resolve()),
                str(there.fileno()),
            ]
            one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            server = subprocess.Popen(words, pass_fds=[there.fileno()], env=one_thread)
        given = {name: getattr(subprocess, name) for name in ("PIPE", "DEVNULL", "TimeoutExpired")}
        patch.setattr(processes, "subprocess", SimpleNamespace(**given, Popen=lambda *_, **__: Forked(here)))
        yield
        here.close()
        server.wait()


class Forked:
    """What `Answers` uses of a process."""

    def __init__(self, server: socket.socket) -> None:
        read, write = os.pipe()
        answered, answers = os.pipe()
        socket.send_fds(server, [os.fsencode(Path.cwd())], [read, answers])
        os.close(read)
        os.close(answers)
        self.pid = int(server.recv(100))
        self.handle = os.pidfd_open(self.pid)
        self.stdin = os.fdopen(write, "w", encoding="utf-8")
        self.stdout = os.fdopen(answered, encoding="utf-8", errors="replace")

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, number)

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> None:
        if not select.select([self.handle], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a user's function", timeout or 0.0)

    def __del__(self) -> None:
        os.close(self.handle)
