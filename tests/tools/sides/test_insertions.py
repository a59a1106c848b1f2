"""What a longer text has more than a shorter one, in two places at most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.sides.insertions import Insertion, OtherChange, insertions

TEXT = st.text("ab\n", max_size=6)


def together(shorter, found):
    for at, text in reversed(found):
        shorter = shorter[:at] + text + shorter[at:]
    return shorter


@given(TEXT, TEXT, TEXT, TEXT, TEXT)
def test_two_texts_put_in_anywhere_are_found(head, one, between, other, tail):
    shorter, longer = head + between + tail, head + one + between + other + tail
    found = insertions(shorter, longer)
    assert len(found) <= 2
    assert all(text for _, text in found)
    assert together(shorter, found) == longer


@pytest.mark.parametrize(
    ("shorter", "longer", "found"),
    [
        ("- a.", "- a.", []),
        ("- a.", "- a.\n- b.", [Insertion(4, "\n- b.")]),
        ("- a.\n\nZ", "- a.\n- b.\n\nZ", [Insertion(4, "\n- b.")]),
        ("- b.", "- a.\n- b.", [Insertion(0, "- a.\n")]),
        ("Be short.", "Be short. Be kind.", [Insertion(9, " Be kind.")]),
        (
            "- a.\n\n- c.\n\n- e.",
            "- a.\n- b.\n\n- c.\n- d.\n\n- e.",
            [Insertion(4, "\n- b."), Insertion(10, "\n- d.")],
        ),
    ],
    ids=["none", "last_line", "middle_line", "first_line", "sentence", "two"],
)
def test_whole_lines_are_preferred(shorter, longer, found):
    assert insertions(shorter, longer) == found


@pytest.mark.parametrize(
    ("longer", "expected"),
    [
        ("1\n2\nthree\n4\n", "1\n2\n3\n4\n"),
        ("1\n2\n4\n", "1\n2\n3\n4\n"),
        ("0\n1\nx\n2\n3\ny\n4\n", "0\n1\nx\n2\n3\n4\n"),
        ("0\n1\n2\nthree\n4\n", "0\n1\n2\n3\n4\n"),
    ],
    ids=["changed", "lacking", "third", "changed_after_one"],
)
def test_another_change_shows_the_shorter_text_from_there_on(longer, expected):
    with pytest.raises(OtherChange) as change:
        insertions("1\n2\n3\n4\n", longer)
    assert change.value.expected == expected
