"""Recorded benchmarks: what a run left on disk."""
