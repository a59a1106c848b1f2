"""A wording as a file: read back as it was, and made for people."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reference import wording
from tools.project.wording_file import to_toml

OURS = wording.load()
HARD = ['"', '""', '"""', "\\", "\\n", "\n", "\r\n", "\t", "\x00", "\x7f", "\u2028", "𝔘", "a", " "]


@given(st.lists(st.sampled_from(HARD), max_size=8).map("".join))
def test_any_text_is_read_back_as_it_was(text):
    words = replace(OURS, ellipsis=text, v2_rules=text, empty=f"{text}…")
    assert wording.parse(to_toml(words), Path("words.toml")) == words


def test_a_text_of_several_lines_is_printed_in_several_lines():
    words = replace(OURS, v2_rules='\n- Say "so".\n- Be \\ brief.', no_date='"none"')
    lines = to_toml(words).decode().splitlines()
    at = lines.index('v2_rules = """')
    assert lines[at + 1 : at + 4] == ["", '- Say "so".', '- Be \\\\ brief."""']
    assert 'no_date = "\\"none\\""' in lines


def test_what_can_t_be_seen_is_escaped():
    words = replace(OURS, ellipsis="a\u00a0b\u2028c\U000e0001")
    assert b'ellipsis = "a\\u00a0b\\u2028c\\U000e0001"\n' in to_toml(words)
