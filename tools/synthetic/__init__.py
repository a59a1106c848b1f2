"""Synthetic search results: generated ones by seed, and the cases that the goldens are made of."""

from .cases import files, write
from .generator import CUTS, memories, ranked, turns

__all__ = ["CUTS", "files", "memories", "ranked", "turns", "write"]
