"""A small data set in LongMemEval's shape: evidence by hand in haystacks by seed."""

from .generator import NOTE, dataset, files, write

__all__ = ["NOTE", "dataset", "files", "write"]
