"""Programs that end with us, however we end: a keeper outlives this process just to end them."""

import contextlib
import os
import select
import signal
import subprocess
from typing import Any

LINE = 64  # bytes of a message, written at once however many processes write


class _Pipes:
    """Where the keeper of this process, and of those forked from it, listens."""

    owner = 0  # the process that started the keeper, 0 before that
    alive = -1  # whose end tells the keeper that the owner is gone
    messages = -1


def start(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a program in a group of its own, which is killed if this process is.

    `options` are those of Popen. Raises OSError when it can't be started. End it with `kill`.
    """
    ensure()

    def registered() -> None:  # in the child, so that no moment is without an entry
        _say(f"+{os.getpid()}")

    # A session of its own: Ctrl-C is for us to pass on.
    return subprocess.Popen(command, start_new_session=True, preexec_fn=registered, **options)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a started program with all that it started in its group, and wait for it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    forget(process.pid)


def watch(pid: int) -> None:
    """Kill process `pid`, a child that was forked from here, when this process is gone."""
    _say(f"={pid}")


def forget(pid: int) -> None:
    """Process `pid` has been waited for: its number may be somebody else's."""
    _say(f"-{pid}")


def ensure() -> None:
    """Start the keeper, unless this process or one that it was forked from has."""
    if _Pipes.owner:
        return
    (told, alive), (heard, messages) = os.pipe(), os.pipe()
    if not os.fork():
        _keep(told, heard)
    os.close(told)
    os.close(heard)
    _Pipes.owner, _Pipes.alive, _Pipes.messages = os.getpid(), alive, messages


def forked() -> None:
    """To be called in a child forked from here: it does not keep this process alive."""
    if _Pipes.owner and _Pipes.owner != os.getpid():
        with contextlib.suppress(OSError):
            os.close(_Pipes.alive)


def _say(message: str) -> None:
    with contextlib.suppress(OSError):
        os.write(_Pipes.messages, message.encode().ljust(LINE))


def _keep(told: int, heard: int) -> None:
    """What the keeper does until the owner is gone. It never returns."""
    try:
        os.setsid()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        low, high = sorted((told, heard))
        for first, end in ((0, low), (low + 1, high), (high + 1, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(first, end)
        _listen(told, heard)
    finally:
        os._exit(0)


def _listen(told: int, heard: int) -> None:
    kept: dict[str, str] = {}
    os.set_blocking(heard, False)
    gone = False
    while not gone:
        ready, _, _ = select.select([told, heard], [], [])
        gone = told in ready
        _note(kept, heard)
    # Workers first: they can start nothing then. A message may still be on its way.
    for mark in ("=", "+"):
        _note(kept, heard)
        for pid in [pid for pid, marked in kept.items() if marked == mark]:
            with contextlib.suppress(OSError):
                (os.kill if mark == "=" else os.killpg)(int(pid), signal.SIGKILL)


def _note(kept: dict[str, str], heard: int) -> None:
    """Take in what was said since the last time."""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(heard, 4096 - 4096 % LINE):
            for start in range(0, len(data), LINE):
                message = data[start : start + LINE].decode().strip()
                if message[0] == "-":
                    kept.pop(message[1:], None)
                else:
                    kept[message[1:]] = message[0]
