"""Context items: what is checked, what is kept, and how a search response becomes items."""

from collections import Counter
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.items import (
    ABSENT,
    Foreign,
    Item,
    ItemError,
    Memory,
    Selection,
    Turn,
    from_json,
    from_response,
    note_unknown,
    to_json,
)

MEMORY = {
    "kind": "memory",
    "text": "lives in Lisbon",
    "state": "active",
    "valid_from": "2023-05-01T00:00:00Z",
    "recorded_at": "2023-05-20T02:21:00Z",
}
TURN = {"kind": "turn", "role": "user", "content": "Hello", "ts": "2023-05-20T02:21:00Z"}
FULL_MEMORY = MEMORY | {
    "valid_to": "2024-01-01T00:00:00Z",
    "subject": "user",
    "predicate": "lives in",
    "object": "Lisbon",
    "invalidated_at": None,
    "score": 0.5,
    "sources": ["e1"],
}
FULL_TURN = TURN | {"score": 0.25, "selected": None, "span": "Hell"}
FULL_SELECTION = {
    "kind": "selection",
    "outcome": "kept",
    "candidates": 3,
    "kept": 2,
    "reason": "few",
    "status": 200,
}
CLAIM = {
    "kind": "claim",
    "score": 0.5,
    "memory": {
        "id": "m1",
        "text": "lives in Lisbon",
        "subject": "user",
        "predicate": "lives in",
        "object": "Lisbon",
        "state": "active",
        "valid_time": {
            "valid_from": "2023-05-01T00:00:00Z",
            "valid_to": "2024-01-01T00:00:00Z",
        },
        "transaction_time": {"recorded_at": "2023-05-20T02:21:00Z", "invalidated_at": None},
        "source_ids": ["e1"],
    },
}
EPISODE = {
    "kind": "episode",
    "score": 0.25,
    "episode": {
        "id": "e1",
        "role": "user",
        "ts": "2023-05-20T02:21:00Z",
        "content": "Hello",
    },
}

SCALARS = st.sampled_from([None, True, False, 0, 1, 1.5, "", "user", "turn", "\ud83d"])
KEYS = st.sampled_from(["kind", "role", "content", "ts", "selected", "memory", "results", "text"])
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=6
)
OPTIONAL_TURN_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "selected": st.sampled_from([True, False, None]),
        "span": st.sampled_from(["Hell", None]),
        "score": st.sampled_from([0.5, None]),
    },
)


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


def depth(value: list) -> int:
    found = 0
    while value:
        (value,) = value
        found += 1
    return found


def refusal(value: object) -> str:
    with pytest.raises(ItemError) as caught:
        from_json(value)
    return str(caught.value)


def response_refusal(value: object) -> str:
    with pytest.raises(ItemError) as caught:
        from_response(value)
    return str(caught.value)


# From JSON and back


def test_items_keep_every_field_of_their_kind():
    assert from_json([FULL_MEMORY, FULL_TURN, FULL_SELECTION]) == [
        Memory(
            text="lives in Lisbon",
            state="active",
            valid_from="2023-05-01T00:00:00Z",
            recorded_at="2023-05-20T02:21:00Z",
            valid_to="2024-01-01T00:00:00Z",
            subject="user",
            predicate="lives in",
            object="Lisbon",
            invalidated_at=None,
            score=0.5,
            sources=["e1"],
        ),
        Turn(
            role="user",
            content="Hello",
            ts="2023-05-20T02:21:00Z",
            score=0.25,
            selected=None,
            span="Hell",
        ),
        Selection(outcome="kept", candidates=3, kept=2, reason="few", status=200),
    ]


def test_a_field_that_is_not_there_is_absent_and_not_null():
    assert from_json([MEMORY, TURN, {"kind": "selection"}]) == [
        Memory(
            text="lives in Lisbon",
            state="active",
            valid_from="2023-05-01T00:00:00Z",
            recorded_at="2023-05-20T02:21:00Z",
        ),
        Turn(role="user", content="Hello", ts="2023-05-20T02:21:00Z"),
        Selection(),
    ]
    assert Turn("user", "Hello", "").selected is ABSENT
    assert repr(ABSENT) == "<Absent.ABSENT: 'absent'>"


@pytest.mark.parametrize(
    "value",
    [FULL_MEMORY, MEMORY, FULL_TURN, TURN, FULL_SELECTION, {"kind": "selection"}, {"kind": 1}, 7],
)
def test_an_item_is_stored_as_it_was_loaded(value):
    assert [to_json(item) for item in from_json([value])] == [value]


@given(OPTIONAL_TURN_FIELDS)
def test_absent_and_null_survive_a_round_trip(optional):
    value = TURN | optional
    assert to_json(from_json([value])[0]) == value


def test_further_keys_are_not_kept():
    assert from_json([TURN | {"id": "e1"}]) == from_json([TURN])


@pytest.mark.parametrize(
    "value",
    [None, 7, "turn", [TURN], {}, {"kind": "claim"}, {"kind": ["turn"]}, {"kind": "Turn"}],
)
def test_an_element_of_another_kind_keeps_its_place(value):
    assert from_json([TURN, value, MEMORY]) == [
        *from_json([TURN]),
        Foreign(value),
        *from_json([MEMORY]),
    ]


def test_every_element_becomes_an_item():
    items = from_json([TURN, MEMORY, FULL_SELECTION, 7])
    assert [isinstance(item, Item) for item in items] == [True, True, True, True]


def test_items_do_not_change():
    for item in from_json([TURN, MEMORY, FULL_SELECTION, 7]):
        with pytest.raises(FrozenInstanceError):
            item.extra = 1


def test_loaded_text_is_well_formed():
    lone = TURN | {"content": "a\ud83d", "score": {"\ude00": 1}}
    assert from_json([lone, "\ud83d"]) == from_json(
        [TURN | {"content": "a\ufffd", "score": {"\ufffd": 1}}, "\ufffd"]
    )


def test_items_that_are_no_list_are_refused():
    assert refusal({"results": []}) == "items: expected a list, found an object"
    assert refusal(None) == "items: expected a list, found null"


def test_fields_that_no_one_looks_at_are_kept_however_deep_they_are():
    deep = nested(5_000)
    turn, foreign = from_json([TURN | {"score": deep}, deep])
    assert turn.content == "Hello"
    assert depth(turn.score) == depth(foreign.value) == 5_000


@pytest.mark.parametrize(
    ("item", "field"),
    [
        *((TURN, field) for field in ("role", "content", "ts")),
        *((MEMORY, field) for field in ("text", "valid_from", "recorded_at", "state")),
    ],
    ids=lambda value: value if isinstance(value, str) else value["kind"],
)
def test_a_field_that_is_printed_is_a_string(item, field):
    place = f"items[1].{field}: expected a string, found"
    for value, found in (
        (None, "null"),
        (True, "a boolean"),
        (7, "a number"),
        (1.5, "a number"),
        (["a"], "a list"),
        ({"a": 1}, "an object"),
        ((1,), "no JSON value"),
    ):
        assert refusal([TURN, item | {field: value}]) == f"{place} {found}"
    missing = {name: held for name, held in item.items() if name != field}
    assert refusal([TURN, missing]) == f"{place} nothing"


@pytest.mark.parametrize("value", [None, "", "2024-01-01"])
def test_valid_to_is_a_string_or_null(value):
    assert from_json([MEMORY | {"valid_to": value}])[0].valid_to == value


@pytest.mark.parametrize(
    ("value", "found"), [(0, "a number"), (False, "a boolean"), ([], "a list")]
)
def test_any_other_valid_to_is_refused(value, found):
    expected = f"items[0].valid_to: expected a string, null or nothing, found {found}"
    assert refusal([MEMORY | {"valid_to": value}]) == expected


@pytest.mark.parametrize("value", [True, False, None])
def test_selected_is_a_boolean_or_null(value):
    assert from_json([TURN | {"selected": value}])[0].selected is value


@pytest.mark.parametrize(
    ("value", "found"), [(0, "a number"), (1, "a number"), ("true", "a string"), ("", "a string")]
)
def test_any_other_selected_is_refused(value, found):
    expected = f"items[0].selected: expected true, false, null or nothing, found {found}"
    assert refusal([TURN | {"selected": value}]) == expected


def test_the_first_breach_in_list_order_is_the_one_refused():
    bad_turn = {"kind": "turn", "role": 1, "content": 2, "ts": 3, "selected": 4}
    bad_memory = {"kind": "memory", "valid_to": 5}
    assert refusal([7, bad_turn, bad_memory]).startswith("items[1].role:")
    assert refusal([bad_memory, bad_turn]).startswith("items[0].text:")


def test_no_other_field_is_looked_at():
    odd = {"score": "high", "sources": 7, "subject": [], "span": 1, "invalidated_at": 0}
    assert [type(item) for item in from_json([MEMORY | odd, TURN | odd])] == [Memory, Turn]
    assert from_json([{"kind": "selection", "outcome": [], "kept": None}]) == [
        Selection(outcome=[], kept=None)
    ]


@given(JSON)
def test_json_becomes_items_or_is_refused(value):
    for read in (from_json, from_response):
        try:
            items = read(value)
        except ItemError:
            continue
        assert all(isinstance(item, Item) for item in items)


# From a search response


def test_hits_become_items_in_their_order():
    response = {"count": 3, "results": [EPISODE, CLAIM, EPISODE]}
    turn, memory = from_json([TURN | {"score": 0.25}, FULL_MEMORY])
    assert from_response(response) == [turn, memory, turn]


def test_a_hit_without_its_optional_fields_lacks_them_as_an_item():
    claim = {
        "kind": "claim",
        "memory": {
            "text": "lives in Lisbon",
            "state": "active",
            "valid_time": {"valid_from": "2023-05-01T00:00:00Z"},
            "transaction_time": {"recorded_at": "2023-05-20T02:21:00Z"},
        },
    }
    episode = {"kind": "episode", "episode": EPISODE["episode"]}
    assert from_response({"results": [claim, episode]}) == from_json([MEMORY, TURN])


@pytest.mark.parametrize(
    ("ranking", "fields"),
    [
        (None, {}),
        ({}, {}),
        ({"selected": None}, {"selected": None}),
        ({"selected": True, "span": None}, {"selected": True, "span": None}),
        ({"span": "Hell", "rank": 1}, {"span": "Hell"}),
    ],
)
def test_a_ranking_adds_the_keys_that_it_has(ranking, fields):
    hit = EPISODE | {"ranking": ranking}
    assert from_response({"results": [hit]}) == from_json([TURN | {"score": 0.25} | fields])


@pytest.mark.parametrize("hit", [{"kind": "edge"}, {}, {"kind": None}, None, "claim", [CLAIM]])
def test_a_hit_of_another_kind_is_passed_over(hit):
    assert from_response({"results": [hit, EPISODE]}) == from_response({"results": [EPISODE]})


def test_a_selection_becomes_one_item_at_the_end():
    selection = {"outcome": "kept", "candidates": 3, "kept": 2, "reason": "few", "status": 200}
    items = from_response({"results": [EPISODE], "selection": selection})
    assert items[1:] == from_json([FULL_SELECTION])
    assert len(items) == 2


def test_a_selection_that_is_null_becomes_nothing():
    assert from_response({"results": [], "selection": None}) == []


def test_a_response_becomes_well_formed():
    hit = {"kind": "episode", "episode": EPISODE["episode"] | {"content": "a\ud83d"}}
    assert from_response({"results": [hit]}) == from_json([TURN | {"content": "a\ufffd"}])


def test_fields_of_a_response_are_kept_however_deep_they_are():
    (turn,) = from_response({"results": [EPISODE | {"score": nested(5_000)}]})
    assert depth(turn.score) == 5_000


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ([], "the response: expected an object, found a list"),
        ("<html>", "the response: expected an object, found a string"),
        ({}, "results: expected a list, found nothing"),
        ({"results": None}, "results: expected a list, found null"),
        ({"results": [], "selection": []}, "selection: expected an object, found a list"),
    ],
)
def test_a_response_without_its_shape_is_refused(response, message):
    assert response_refusal(response) == message


def claim_with(**changes: object) -> dict:
    return {"kind": "claim", "memory": CLAIM["memory"] | changes}


@pytest.mark.parametrize(
    ("hit", "message"),
    [
        ({"kind": "claim"}, ".memory: expected an object, found nothing"),
        ({"kind": "claim", "memory": None}, ".memory: expected an object, found null"),
        (
            {"kind": "claim", "memory": {}},
            ".memory.valid_time: expected an object, found nothing",
        ),
        (
            claim_with(valid_time=None),
            ".memory.valid_time: expected an object, found null",
        ),
        (
            {"kind": "claim", "memory": {"valid_time": {}}},
            ".memory.transaction_time: expected an object, found nothing",
        ),
        (
            claim_with(transaction_time=7),
            ".memory.transaction_time: expected an object, found a number",
        ),
        (claim_with(text=None), ".text: expected a string, found null"),
        (claim_with(valid_time={}), ".valid_from: expected a string, found nothing"),
        ({"kind": "episode"}, ".episode: expected an object, found nothing"),
        ({"kind": "episode", "episode": []}, ".episode: expected an object, found a list"),
        ({"kind": "episode", "episode": {}}, ".role: expected a string, found nothing"),
        (EPISODE | {"ranking": False}, ".ranking: expected an object, found a boolean"),
        (
            EPISODE | {"ranking": {"selected": 1}},
            ".selected: expected true, false, null or nothing, found a number",
        ),
    ],
)
def test_a_hit_without_its_fields_is_refused_with_its_position(hit, message):
    assert response_refusal({"results": [EPISODE, hit]}) == f"results[1]{message}"


# Hits of unknown kinds


def unknown(*hits, counts: Counter[str] | None = None) -> Counter[str]:
    counts = Counter() if counts is None else counts
    note_unknown({"results": list(hits)}, counts, lambda text: text.replace("k3y", "***"))
    return counts


def test_hits_of_known_kinds_are_not_counted_as_unknown():
    assert unknown({"kind": "claim"}, {"kind": "episode"}) == {}


def test_unknown_hits_are_counted_by_kind_or_by_what_they_are():
    hits = [{"kind": "fact"}, {"kind": "fact"}, {"kind": ["claim"]}, {}, None, 1, "claim"]
    assert unknown(*hits) == {
        "'fact'": 2,
        "a list": 1,
        "nothing": 1,
        "null": 1,
        "a number": 1,
        "'claim'": 1,
    }


def test_the_name_of_an_unknown_kind_is_masked_before_it_is_cut():
    assert unknown({"kind": "a" * 18 + "k3y"}) == {"'" + "a" * 18 + "**'": 1}


def test_the_name_of_an_unknown_kind_is_a_literal_of_twenty_characters():
    assert unknown({"kind": "\u202ea\n" + "b" * 99}) == {"'\\u202ea\\n" + "b" * 17 + "'": 1}


def test_more_than_twenty_unknown_kinds_share_one_name():
    kinds = [f"k{number}" for number in range(20)]
    counts = unknown(*({"kind": kind} for kind in kinds))
    assert counts == {repr(kind): 1 for kind in kinds}
    unknown({"kind": "a"}, {"kind": "b"}, {"kind": "k19"}, counts=counts)
    assert (counts["others"], counts["'k19'"], len(counts)) == (2, 2, 21)
