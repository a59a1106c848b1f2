"""Bodies as values and as literals, redirects by where they point."""

import httpx
import pytest

from reference.answers import REDIRECTS, having, shown, taken, target, text_of, value_of, whoami

HERE = httpx.URL("http://memvara.test:8080/base/v1/stats?user=t")
BOM = b"\xef\xbb\xbf"


def test_a_body_is_taken_whole_up_to_its_limit():
    assert taken(iter([b"ab", b"", b"c"]), 3) == b"abc"
    assert type(taken(iter([]), 0)) is bytes


def test_a_longer_body_is_taken_up_to_the_part_with_which_it_is_longer():
    for first in (b"ab", b"abc"):
        parts = iter([first, b"de", b"f"])
        assert taken(parts, 3) == first + b"de"
        assert list(parts) == [b"f"]


def test_the_value_of_a_body_is_its_json():
    assert value_of('{"é": [1]}'.encode(), 100) == {"é": [1]}


def test_one_byte_order_mark_is_passed_over():
    assert value_of(BOM + b"1", 9) == 1
    assert text_of(BOM + BOM + b"1") == "\ufeff1"
    with pytest.raises(ValueError, match=r"^not JSON: line 1 column 1$"):
        value_of(BOM + BOM + b"1", 9)


def test_a_body_of_more_than_its_limit_has_no_value():
    assert value_of(b"12345", 5) == 12345
    with pytest.raises(ValueError, match=r"^longer than 1,234 bytes$"):
        value_of(b"1" * 1235, 1234)


@pytest.mark.parametrize("body", [b'"\xff"', '"a"'.encode("utf-16"), b'"\xed\xa0\xbd"'])
def test_a_body_that_is_not_utf_8_has_no_value(body):
    with pytest.raises(ValueError, match=r"^'utf-8' codec can't decode byte "):
        value_of(body, 100)


def test_the_text_of_a_body_is_there_whatever_it_holds():
    assert text_of("é".encode() + b"\xff\x00") == "é\ufffd\x00"


def test_at_most_300_characters_are_shown():
    assert shown("é" * 300 + "x") == "'" + "é" * 300 + "'"
    assert shown("ab") == "'ab'"


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\x00", "\\x00"),
        ("\x1b", "\\x1b"),
        ("\x7f", "\\x7f"),
        ("\x85", "\\x85"),
        ("\x9b", "\\x9b"),
        ("\u200e", "\\u200e"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
        ("\u202e", "\\u202e"),
        ("\u2066", "\\u2066"),
        ("\u061c", "\\u061c"),
        ("\ufeff", "\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\\", "\\\\"),
    ],
)
def test_what_could_start_a_line_or_turn_one_around_is_shown_as_an_escape(character, escape):
    assert shown(f"a{character}b") == f"'a{escape}b'"


@pytest.mark.parametrize(
    ("location", "points_to"),
    [
        ("/login", "http://memvara.test:8080/login"),
        ("login?next=/", "http://memvara.test:8080/base/v1/login"),
        ("//other.test", "http://other.test/"),
        ("https://memvara.test/base/v1/stats?user=t", "https://memvara.test/base/v1/stats"),
        ("HTTPS://User:pa55@Login.Test:444/a%20b#c?d", "https://login.test:444/a%20b"),
        ("é", "http://memvara.test:8080/base/v1/%C3%A9"),
        ("", "http://memvara.test:8080/base/v1/stats"),
        ("mailto:x@y.test", "what has no host"),
        ("http://[", "http://%5b/"),
        ("http://x:y/", "what is no URL"),
        ("http://xn--/", "http://xn--/"),
        ("\ud800", "what is no URL"),
        ("/" + "a" * 70_000, "what is no URL"),
    ],
)
def test_a_redirect_points_to_a_scheme_a_host_and_a_path_without_a_user_and_a_query(
    location, points_to
):
    assert target(HERE, location) == points_to


def test_redirects_are_the_statuses_from_300_to_399():
    assert (REDIRECTS[0], REDIRECTS[-1], len(REDIRECTS)) == (300, 399, 100)


def test_an_object_has_the_fields_that_it_must_have():
    assert having("a", "b")({"a": 1, "b": None, "c": 2}) == {"a": 1, "b": None, "c": 2}
    assert having()({}) == {}
    with pytest.raises(ValueError, match=r"^expected a field b$"):
        having("a", "b")({"a": 1})
    with pytest.raises(ValueError, match=r"^expected a JSON object$"):
        having()([])


def test_who_a_key_belongs_to_has_a_tenant():
    who = {"token_id": 1, "scope": {"tenant": 2}, "effective_privilege": 3, "read_only": 4}
    assert whoami(who) == who
    for broken in (
        *({n: v for n, v in who.items() if n != name} for name in who),
        who | {"scope": {}},
    ):
        with pytest.raises(ValueError, match=r"^expected a field "):
            whoami(broken)
