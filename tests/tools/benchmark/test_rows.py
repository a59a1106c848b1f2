"""Rows of the benchmark where something that they need is missing."""

from types import SimpleNamespace

from tools.benchmark import rows


def test_without_tests_the_gate_is_not_measured_and_the_row_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(rows, "load", lambda: SimpleNamespace(root=tmp_path))
    row = rows.gate_row()
    assert (row.ratio, row.figure) == (None, "needs a clone: a wheel has no tests")
