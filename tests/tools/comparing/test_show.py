"""Showing a difference: the first line that differs, and nothing in it invisible."""

import pytest

from tools.comparing.show import Difference, first_difference


def test_equal_bytes_have_no_difference():
    assert first_difference(b"a\n", b"a\n") is None


@pytest.mark.parametrize(
    ("expected", "found", "shown"),
    [
        (b"a\nb\r\nc", b"a\nb\nc", (2, r"'b\r\n'", r"'b\n'")),
        (b"a\n", b"a", (1, r"'a\n'", "'a'")),
        (b"a", b"a\nb", (1, "'a'", r"'a\n'")),
        (b"a \n", b"a\t\n", (1, r"'a \n'", r"'a\t\n'")),
        ("caf\u00e9".encode(), "cafe\u0301".encode(), (1, r"'caf\xe9'", r"'cafe\u0301'")),
        ("❤\ufe0f".encode(), "❤".encode(), (1, r"'\u2764\ufe0f'", r"'\u2764'")),
        (b"a\xff", b"a\\xff", (1, r"'a\udcff'", r"'a\\xff'")),
        ("\ufeffa".encode(), b"a", (1, r"'\ufeffa'", "'a'")),
    ],
)
def test_the_first_line_that_differs_is_shown_as_a_literal(expected, found, shown):
    assert first_difference(expected, found) == Difference(*shown)


def test_a_long_line_is_shown_around_the_difference():
    shown = first_difference(b"x" * 500 + b"1" + b"y" * 500, b"x" * 500 + b"2" + b"y" * 500)
    assert shown.expected == "…'" + "x" * 30 + "1" + "y" * 59 + "'…"
    assert shown.found == "…'" + "x" * 30 + "2" + "y" * 59 + "'…"
