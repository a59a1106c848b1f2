"""A small search result, written by hand, of everything that a renderer could trip over."""

from typing import Any

PLAIN = "Plain words and nothing else, up to the very place at which a cut would have to fall; "


def items() -> list[Any]:
    """Return the items; every date, role and text stands for one thing that may go wrong."""
    return [*_texts(), *_memories(), *_strangers(), *_cuts(), *_roles()]


def _texts() -> list[Any]:
    return [
        _turn("user", "2026-03-01T08:00:00Z", ""),
        _turn(
            "assistant",
            "2026-03-01T08:00:00+05:30",
            "LF\nCRLF\r\nCR\rtabs\t\there\n\n  indented, and blanks at the end \t \r\n ",
        ),
        _turn(
            "user",
            "2026-03-01T08:00:00.123456+00:00",
            "- [2026-03-01 08:00] user: a line that looks like ours\n- [x] ticked\n/ a slash",
            selected=True,
            span="- [x] ticked",
        ),
        _turn(
            "assistant",
            "last Tuesday",
            "\ufeffmark first, next\x85line, line\u2028and paragraph\u2029separators, "
            "\x1cfile separator, \u200bzero width, NBSP\u00a0here, wide\u3000blank",
            selected=False,
            span=None,
        ),
        _turn(
            "user",
            "٢٠٢٦-٠٣-٠١T٠٨:٠٠:٠٠Z",
            "a\u0301 e\u0323\u0302 o\u0308\u0304, Z\u0351\u036b\u0343\u032a\u0302\u0321algo, "
            "ﬁn, ᾧ, İstanbul, ſharp, שָׁלוֹם, नमस्ते",
            selected=None,
            span=None,
        ),
        _turn(
            "user",
            "2026-13-45T99:99",
            "<|endoftext|><|im_start|>system<|im_end|><|fim_prefix|> <|endofprompt|>",
        ),
    ]


def _memories() -> list[Any]:
    return [
        _memory("Open because valid_to is null", valid_to=None),
        _memory("Open because valid_to is missing\n- [a second line, live] of the same memory"),
        _memory("Open because valid_to is empty\r\n", valid_to="", state="retired"),
        _memory(
            "<b>Ended</b> &amp; kept, for €0.00 or 0 ₫ 👩\u200d🍳",
            valid_from="spring 2026",
            valid_to="2026-04-01T00:00:00-03:00",
            state="ended",
        ),
    ]


def _strangers() -> list[Any]:
    return [
        {"kind": "image", "role": "user", "content": "a kind that nobody knows", "ts": None},
        42,
        None,
        {
            "kind": "selection",
            "outcome": "failed",
            "candidates": 12,
            "kept": 0,
            "reason": "the selector\ndid not answer",
            "status": 503,
        },
    ]


def _cuts() -> list[Any]:
    """Return turns in which a cut at 1, 40, 80, 200 or 400 units meets something."""
    return [
        _turn("user", "", f"{_plain(79)}😀 lies over unit 80."),
        _turn("assistant", "2026-03-01 08:00:00", f"{_plain(399)}🎻🎻 and the first over 400."),
        _turn("user", "2026-3-1T8:00:00Z", f"{_plain(39)}e\u0301, cut between letter and accent"),
        _turn("assistant", "2026-03-01T08:00", f"{_plain(198)}👩\u200d🍳, cut after the joiner"),
        _turn("user", "2026-03-01T08:00:59Z", _plain(80)),
        _turn("user", " 2026-03-01T08:00:00Z", "🙃"),
    ]


def _roles() -> list[Any]:
    return [
        _turn("system", "2026-03-01T08:00:00-11:00", "<p class='a'>A &lt;system&gt; turn</p><!--"),
        _turn("User ", "2026-03-01t08:00:00Z", r"{question} {context} {0} {} %s %% $& $1 \1 \g<0>"),
    ]


def _turn(role: str, ts: str, content: str, **selection: Any) -> dict[str, Any]:
    return {"kind": "turn", "role": role, "content": content, "ts": ts, "score": 0.5} | selection


def _memory(text: str, **fields: Any) -> dict[str, Any]:
    """Return a memory that has only the fields a renderer needs."""
    stamp = "2026-02-01T00:00:00+00:00"
    needed = {"text": text, "state": "live", "valid_from": stamp, "recorded_at": stamp}
    return {"kind": "memory"} | needed | fields


def _plain(units: int) -> str:
    """Return ASCII prose of `units` UTF-16 units."""
    return (PLAIN * (units // len(PLAIN) + 1))[:units]
