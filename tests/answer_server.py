"""The process from which tests/forked_answers.py has those of users' functions forked."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import socket
import sys

from steelyard.proofs import processes


def ended(*_: object) -> None:
    """Take those that have ended off the list."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def serve(asked: socket.socket) -> None:
    """Fork for everyone who asks, with the two pipes that are sent, in the folder that is named."""
    for name in ("flint", "z3", "steelyard.proofs.user_function"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, ended)
    while True:
        folder, pipes, *_ = socket.recv_fds(asked, 10_000, 2)
        if not folder:
            return
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asked.close()
            os.setpgid(0, 0)
            os.chdir(folder)
            for place, pipe in enumerate(pipes):
                os.dup2(pipe, place)
                os.close(pipe)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            processes.main()
            sys.stdout.flush()
            os._exit(0)
        with contextlib.suppress(OSError):  # it may have done so itself
            os.setpgid(pid, pid)
        for pipe in pipes:
            os.close(pipe)
        asked.send(str(pid).encode())


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
