"""The grid: what it crosses, what it refuses, how much it covers, and that its values bite."""

import itertools

import pytest

from reference.knobs import KNOBS, KnobError, Knobs
from reference.text import strip
from tools import grid
from tools.comparing.verdicts import Sides
from tools.exits import Stop
from tools.grid.budgets import line_budgets
from tools.grid.combinations import Combination, Product
from tools.grid.places import Place, located, request_of
from tools.grid.values import BUDGET, ROWS, Lines
from tools.project import layout as project
from tools.sides.copies import in_process
from tools.sides.subject import Subject, introduce
from tools.sweeping import bite
from tools.sweeping.plan import Narrowing, make
from tools.synthetic import CUTS


@pytest.fixture(scope="module")
def here():
    return project.load()


@pytest.fixture(scope="module")
def subject(here):
    subject = in_process(here.reference, "grid_reference", "here", memo=8_192)
    introduce(here, subject)
    return subject


@pytest.fixture(scope="module")
def default(here, subject):
    return make(here, Narrowing(), subject)


def taken(env):
    try:
        Knobs.from_env(env)
    except KnobError:
        return False
    return True


def accepted_cells(plan):
    """The planned cells that are no refusal: those of every case but `refused`."""
    return sum(
        cell.place.case != "refused"
        for part, combination in map(plan.combination, plan.chosen)
        for cell in plan.cells(part, combination)
    )


def test_every_knob_that_changes_a_render_or_a_request_has_a_row():
    assert set(ROWS) == set(KNOBS) - {"OPENAI_MODEL_PREFIX"}


def test_the_default_grid_is_the_whole_product_less_what_ranked_refuses():
    knobs = (grid.RANKED, *grid.HIDING)
    values = grid.product_values(knobs)
    wanted = [each.env for each in Product(values) if taken(each.env)]
    found = [each.env for part in grid.accepted(values) for each in part]
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    assert len(wanted) < len(Product(values))


def test_the_default_grid_is_large_enough(default):
    assert len(default.chosen) >= 46_080
    assert accepted_cells(default) >= 304_700


def test_planned_is_what_the_cells_come_to(here, subject):
    plan = make(here, Narrowing(sample=500), subject)
    parts = map(plan.combination, plan.chosen)
    assert plan.planned == sum(len(list(plan.cells(*part))) for part in parts)


def test_the_full_grid_is_large_enough(here, subject):
    accepted = tuple(set(here.cases) - {"refused"})
    plan = make(here, Narrowing(full=True, cases=accepted), subject)
    assert plan.planned >= 2_400_000
    assert len(plan.refusals) > 1_000


def test_no_combination_is_there_twice(here, subject):
    plan = make(here, Narrowing(full=True), subject)
    assert plan.combination(0) == (plan.parts[0], Combination({}))
    some = range(0, len(plan.chosen), 101)
    seen = {str(plan.combination(number)[1]) for number in some}
    assert len(seen) == len(some)
    with pytest.raises(IndexError):
        plan.combination(len(plan.chosen))


def test_every_combination_of_a_product_comes_once():
    product = Product({"A": (None, "1"), "B": ("2", "3", "4")})
    envs = [tuple(each.env.get(knob) for knob in "AB") for each in product]
    assert sorted(map(str, envs)) == sorted(map(str, itertools.product((None, "1"), "234")))


@pytest.mark.parametrize("knob", ROWS)
def test_values_are_accepted_and_refused_as_the_table_says(knob):
    values = [value for value in ROWS[knob].product if isinstance(value, str)]
    assert all(taken({knob: value}) for value in (*values, *ROWS[knob].spellings))
    assert not any(taken({knob: value}) for value in ROWS[knob].refused)


@pytest.mark.parametrize("knob", ROWS)
def test_a_spelling_with_a_value_of_the_product_means_that_value(knob):
    def resolved(value):
        return Knobs.from_env({} if value is None else {knob: value})

    assert any(not strip(spelling) for spelling in ROWS[knob].spellings)
    for spelling, meant in ROWS[knob].spellings.items():
        assert meant in ROWS[knob].product
        if not spelling.startswith("9007"):  # as good as none, and yet another number
            assert resolved(spelling) == resolved(meant)


def test_everything_listed_as_refused_is_refused(default):
    envs = [default.anywhere(each) for each in grid.refused()]
    assert not any(map(taken, envs))
    assert {frozenset(env) for env in envs} >= {
        frozenset({grid.RANKED, knob}) for knob in grid.HIDING
    }
    knobs = {knob for knob, row in ROWS.items() if row.refused}
    assert all(
        any(knob in env and other in env for env in envs) for knob in knobs for other in ROWS
    )


def test_tails_cut_no_emoji_of_the_generated_cases():
    assert {int(value) for value in ROWS["MEMVARA_TAIL_CHARS"].product if value} <= set(CUTS)


@pytest.mark.parametrize("case", ["thirty", "hostile", "user_only", "assistant_only"])
@pytest.mark.parametrize("turns", [2, 5])
def test_a_budget_in_lines_is_exact(here, subject, case, turns):
    budgets = line_budgets(subject, here.cases[case])

    def kept(lines):
        env = {BUDGET: budgets[lines], "MEMVARA_TURNS_ONLY": "1"}
        return subject.answer(request_of(here, "render", Place(case, "none"), env))["ok"]

    contents = [item for item in here.cases[case] if (item or 0) and isinstance(item, dict)]
    shown = [item["content"] for item in contents if item["kind"] == "turn"]
    assert kept(Lines(turns)).endswith(shown[turns - 1])
    assert kept(Lines(turns, 1)).endswith(shown[turns - 2])


def test_a_case_without_lines_has_no_budgets_in_lines(here, subject):
    assert line_budgets(subject, here.cases["empty"]) == {}
    assert line_budgets(subject, here.cases["memories_only"]) == {}
    assert line_budgets(subject, here.cases["refused"]) == {}


def test_a_case_lacks_the_combinations_whose_budget_it_lacks(default):
    combination = Combination({}, Lines(1))
    cases = {cell.place.case for cell in default.cells(default.parts[0], combination)}
    assert cases == {"thirty", "hostile", "user_only", "assistant_only"}


def test_every_case_is_asked_something(here, default):
    assert {place.case for place in default.parts[0].places} == set(here.cases)


def test_the_full_grid_asks_every_question_of_every_case(here, subject):
    plan = make(here, Narrowing(full=True), subject)
    asked = {(place.case, place.question) for place in plan.parts[0].places}
    assert asked == set(itertools.product(here.cases, here.questions))


def test_shards_cover_the_whole_once_and_never_change(here, subject, default):
    shards = [make(here, Narrowing(shard=(k, 3)), subject) for k in (1, 2, 3)]
    assert sorted(number for plan in shards for number in plan.chosen) == list(default.chosen)
    assert sum(plan.planned for plan in shards) == default.planned
    assert shards[1].chosen == make(here, Narrowing(shard=(2, 3)), subject).chosen


def test_shards_share_the_refusals_out(here, subject):
    whole = make(here, Narrowing(full=True), subject)
    shards = [make(here, Narrowing(full=True, shard=(k, 2)), subject) for k in (1, 2)]
    shared = [str(each) for plan in shards for each in plan.refusals]
    assert sorted(shared) == sorted(map(str, whole.refusals))


def test_a_sample_depends_on_its_seed_alone(here, subject):
    one, same, other = (make(here, Narrowing(sample=50, seed=s), subject) for s in (1, 1, 2))
    assert len(one.chosen) == 50
    assert one.chosen == same.chosen != other.chosen


def test_a_sample_larger_than_the_grid_is_the_grid(here, subject, default):
    assert make(here, Narrowing(sample=10**9), subject).planned == default.planned


def test_knobs_that_are_not_named_stay_unset(here, subject):
    plan = make(here, Narrowing(knobs=("MEMVARA_HEAD_WHOLE", "MEMVARA_TAIL_CHARS")), subject)
    envs = [plan.combination(number)[1].env for number in plan.chosen]
    assert len(envs) == 8 * 12
    assert set().union(*envs) == {"MEMVARA_HEAD_WHOLE", "MEMVARA_TAIL_CHARS"}


def test_arms_replace_the_product(here, subject):
    plan = make(here, Narrowing(arms=True), subject)
    assert len(plan.chosen) == len(here.arms)
    assert plan.planned == len(here.arms) * len(here.cases) * len(here.questions)


def test_cases_that_are_not_named_are_left_out(here, subject):
    plan = make(here, Narrowing(cases=("empty",)), subject)
    assert {place.case for place in plan.parts[0].places} == {"empty"}


def test_a_context_file_is_found_from_anywhere_and_its_blanks_stay():
    assert (
        located("/goldens", "\tcases/a file.jsonl\ufeff") == "\t/goldens/cases/a file.jsonl\ufeff"
    )
    assert located("/goldens", " \u2028") == " \u2028"
    assert located("", "cases/x.jsonl") == "cases/x.jsonl"


def test_a_narrowing_says_what_it_is():
    assert str(Narrowing()) == ""
    narrowing = Narrowing(cases=("empty", "thirty"), sample=7, seed=3, shard=(1, 2))
    assert str(narrowing) == "cases empty, thirty; a sample of 7, seed 3; shard 1/2"


def test_any_two_values_of_a_knob_are_told_apart(here, subject, default):
    assert bite.toothless(here, default, Sides(subject, subject)) == []


def test_values_that_nothing_tells_apart_are_named(here, subject, default, monkeypatch):
    row = ROWS["MEMVARA_HEAD_WHOLE"]
    monkeypatch.setitem(ROWS, "MEMVARA_HEAD_WHOLE", row._replace(product=(*row.product, "31")))
    monkeypatch.setattr(bite, "TRIED", 300)
    found = [str(each) for each in bite.toothless(here, default, Sides(subject, subject))]
    assert found == ["nothing tells MEMVARA_HEAD_WHOLE='30' from '31'"]


def test_a_subject_that_cannot_count_is_one_line(here):
    def answer(request):
        return {"ok": "x"} if request["op"] == "render" else {"crashed": "no encoder"}

    with pytest.raises(Stop, match=r"can't count tokens: .*no encoder"):
        make(here, Narrowing(), Subject("a subject", answer))
