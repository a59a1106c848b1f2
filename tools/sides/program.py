"""Another program as a subject: the protocol over its stdin and stdout, every breach named."""

import contextlib
import functools
import json
import os
import select
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from ..exits import Exit, Stop
from ..processes import keeper
from .subject import Subject

LONGEST = 1 << 26  # bytes of one answer
SHOWN = 200  # characters of an answer or of stderr in a message
FAREWELL = 2.0  # seconds a program gets to end after its stdin is closed
KNOBS = ("MEMVARA_", "OPENAI_MODEL_")  # a request says what is set, never the shell


class Breach(Exception):
    """What a program did instead of answering."""


class Program:
    """A running program that is asked one request at a time."""

    def __init__(self, command: list[str], timeout: float, folder: Path | None = None) -> None:
        self.command = command
        self.timeout = timeout  # seconds for one answer
        self.pending = bytearray()  # what was written after the last answer
        self.number = 0
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115, closed with the program
        env = {name: value for name, value in os.environ.items() if not name.startswith(KNOBS)}
        try:
            pipe = subprocess.PIPE
            self.process = keeper.start(
                command, stdin=pipe, stdout=pipe, stderr=self.errors, env=env, cwd=folder
            )
        except OSError as error:
            self.errors.close()
            where = "" if folder is None else f" in {folder}"
            raise Stop(f"{command[0]} can't be started{where}: {error.strerror}") from None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The program's answer. Raises Stop, exit 6, naming the breach and the request."""
        return self.begin(request)()

    def begin(self, request: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
        """Hand a request over; the function returned waits for the answer. Both raise Stop."""
        self.number += 1
        if self.pending:
            raise self._stop(Breach(_extra(self.pending)), request)
        line = self._written(b'{"id":%d,%b\n' % (self.number, _encoded(request)[1:]))

        def answer() -> dict[str, Any]:
            try:
                return self._awaited(line)
            except Breach as breach:
                raise self._stop(breach, request) from None

        return answer

    def _stop(self, breach: Breach, request: Mapping[str, Any]) -> Stop:
        """What ends the command: the breach and the request that met it."""
        said = {name: value for name, value in request.items() if name != "items"}
        if isinstance(request.get("items"), str):
            said["items"] = request["items"]
        return Stop(
            f"{shlex.join(self.command)}: {breach}{self._last_words()}; "
            f"request {self.number}: {json.dumps(said)}",
            Exit.CRASHED,
        )

    def _awaited(self, line: bytes) -> dict[str, Any]:
        """The answer, once what is left of the request is written."""
        deadline = time.monotonic() + self.timeout
        seen = 0  # bytes without a line end
        while (end := self.pending.find(b"\n", seen)) < 0:
            seen = len(self.pending)
            line = self._exchange(line, deadline)
        answer = bytes(self.pending[:end])
        del self.pending[: end + 1]
        return _checked(answer, self.number)

    def _written(self, line: bytes) -> bytes:
        """What is left of a line after writing what goes at once."""
        try:
            return line[os.write(self.input, line) :]
        except BlockingIOError:
            return line
        except BrokenPipeError:  # reading tells that it has ended
            return b""

    def _exchange(self, line: bytes, deadline: float) -> bytes:
        """Write or read what is possible now; what is left to write."""
        left = deadline - time.monotonic()
        writing = [self.input] if line else []
        readable, writable, _ = select.select([self.output], writing, [], max(0, left))
        if readable and not self._read(left):
            raise Breach(f"ended with exit code {self._exit_code()} instead of answering")
        if writable:
            return self._written(line)
        if not readable:
            raise Breach(f"silent for {self.timeout:g} s")
        if len(self.pending) > LONGEST:
            raise Breach(f"more than {LONGEST:,} bytes without a line end")
        return line

    def _read(self, seconds: float) -> bool:
        """Take what the program has written within some seconds; False for nothing."""
        if not select.select([self.output], [], [], max(0, seconds))[0]:
            return False
        data = os.read(self.output, 1 << 20)
        self.pending += data
        return bool(data)

    def _exit_code(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(FAREWELL)
        return None

    def _last_words(self) -> str:
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - 4 * SHOWN))
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f" (stderr: {lines[-1][:SHOWN]})" if lines else ""

    def close(self) -> None:
        """End the program. Raises Stop, exit 6, when it wrote more than its answers."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(FAREWELL)
        extra = self.pending or (self.process.poll() is not None and self._read(0))
        self.kill()
        if extra:
            raise Stop(
                f"{shlex.join(self.command)}: {_extra(self.pending)}",
                Exit.CRASHED,
            )

    def kill(self) -> None:
        """End the program at once."""
        keeper.kill(self.process)
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


class _Sent:
    """The last request and its bytes: two programs are asked the same."""

    request: Mapping[str, Any] = MappingProxyType({})
    line = b"{}"


def _encoded(request: Mapping[str, Any]) -> bytes:
    if _Sent.request is not request:
        _Sent.request, _Sent.line = request, json.dumps(request).encode()
    return _Sent.line


@functools.lru_cache(1)  # two programs mostly answer the same
def _checked(line: bytes, number: int) -> dict[str, Any]:
    """An answer of the protocol to request `number`. Raises Breach."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise Breach(f"wrote a line that is not JSON: {_shown(line)}") from None
    if not isinstance(answer, dict) or ("ok" in answer) == ("refused" in answer):
        raise Breach(f"wrote no answer with either ok or refused: {_shown(line)}")
    if type(answer.get("id")) is int and 0 < answer["id"] < number:
        raise Breach(_extra(line))
    if answer.get("id") != number or isinstance(answer["id"], bool):
        raise Breach(f"answered with id {answer.get('id')!r}, not {number}")
    if not isinstance(answer.get("warnings", []), list):
        raise Breach(f"wrote warnings that are no list: {_shown(line)}")
    return answer


def _extra(data: bytes | bytearray) -> str:
    return f"wrote more than one line for a request: {_shown(data)}"


def _shown(data: bytes | bytearray) -> str:
    text = data[: 4 * SHOWN].decode(errors="backslashreplace")
    return repr(text[:SHOWN]) + ("..." if len(text) > SHOWN or len(data) > 4 * SHOWN else "")


@contextlib.contextmanager
def running(
    command: list[str],
    timeout: float,
    introduce: Callable[[Subject], None],
    folder: Path | None = None,
) -> Iterator[Subject]:
    """The program of `command`, started in `folder`, as a subject that knows the cases.

    `timeout` is in seconds for each answer. Raises Stop: exit 2 when it can't be started, exit 6
    when it breaks the protocol.
    """
    program = Program(command, timeout, folder)
    paste = shlex.join(command)
    if folder is not None and folder.resolve() != Path.cwd().resolve():
        paste = f"(cd {shlex.quote(str(folder))} && {paste})"
    subject = Subject(shlex.join(command), program.answer, program.begin, paste)
    try:
        introduce(subject)
        yield subject
    except BaseException:
        program.kill()
        raise
    program.close()


def hello(command: list[str], timeout: float, folder: Path | None = None) -> frozenset[str] | None:
    """The ops that a program says it knows; None for one that does not know `hello`.

    Raises Stop, exit 2, when it can't be started.
    """
    program = Program(command, timeout, folder)
    try:
        answer = program.answer({"op": "hello"})
    except Stop:  # it ended, or said something else: the first real request will tell
        return None
    finally:
        program.kill()
    said = answer.get("ok")
    ops = said.get("ops") if isinstance(said, dict) else None
    if not isinstance(ops, list) or not all(isinstance(op, str) for op in ops):
        return None
    return frozenset(ops)
