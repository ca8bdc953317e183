"""A Spark standalone cluster on loopback: a master and workers, each a process group of its own."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

START_SECONDS = 60
QUICK_TO_START = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""For processes that end before compiling them to the last, collecting garbage in parallel, or verifying the classes
of Spark pays."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end_with_the_tests() -> None:
    """Ask Linux to end this process when the tests are killed and can no longer do so."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Cluster:
    """Started by `with`; stopped and removed at its end, whatever happened."""

    def __init__(self, workers: int = 2) -> None:
        self._count = workers
        self._folder = Path(tempfile.mkdtemp(prefix="steelyard-cluster-"))
        self._port, self._page = free_port(), free_port()
        self._master: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return f"spark://127.0.0.1:{self._port}"

    def __enter__(self) -> Cluster:
        try:
            self._master = self._start("master.Master", "--port", self._port, "--webui-port", self._page)
            self._wait(0)
            for _ in range(self._count):
                self.add_worker(wait=False)
            self._wait(self._count)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def add_worker(self, wait: bool = True) -> None:
        options = (
            "--port",
            free_port(),
            "--webui-port",
            free_port(),
            "--cores",
            2,
            "--memory",
            "2g",
            self.address,
        )
        self.workers.append(self._start("worker.Worker", *options))
        if wait:
            self._wait(len([worker for worker in self.workers if worker.poll() is None]))

    def kill_worker(self) -> None:
        """End a worker and its executors without a word, as when a machine is switched off."""
        worker = self.workers.pop(0)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def stop(self) -> None:
        processes = [p for p in (*self.workers, self._master) if p is not None]
        for sent in (signal.SIGTERM, signal.SIGKILL):
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, sent)
            for process in processes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(10)
        shutil.rmtree(self._folder, ignore_errors=True)

    def log(self) -> str:
        return "\n".join(
            path.read_text(errors="replace")[-2000:] for path in sorted(self._folder.glob("*.log"))
        )

    def _start(self, what: str, *options: object) -> subprocess.Popen[bytes]:
        import pyspark

        from steelyard.reading.spark import find_java

        home = Path(pyspark.__file__).parent
        settings = {
            "JAVA_HOME": find_java(),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            # Masters and workers only hand out work, and a launcher only writes a command line.
            "SPARK_DAEMON_JAVA_OPTS": QUICK_TO_START,
            "SPARK_LAUNCHER_OPTS": QUICK_TO_START,
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": str(self._folder / "work"),
            "SPARK_LOCAL_DIRS": str(self._folder / "local"),
        }
        log = self._folder / f"{what}-{len(self.workers)}-{time.monotonic_ns()}.log"
        command: list[str | Path] = [
            home / "bin" / "spark-class",
            f"org.apache.spark.deploy.{what}",
            "--host",
            "127.0.0.1",
            *map(str, options),
        ]
        with log.open("wb") as out:
            return subprocess.Popen(
                command,
                env={**os.environ, **settings},
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=_end_with_the_tests,
            )

    def alive(self) -> list[dict[str, Any]]:
        """The workers that the master knows, as it tells them."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._page}/json/", timeout=5) as answer:
            return [worker for worker in json.load(answer)["workers"] if worker["state"] == "ALIVE"]

    def _wait(self, alive: int) -> None:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError):
                if len(self.alive()) >= alive:
                    return
            time.sleep(0.2)
        raise AssertionError(f"the cluster did not start within {START_SECONDS} s:\n{self.log()}")
