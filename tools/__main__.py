"""`python -m tools` is the `goldens` command."""

from .cli import main

main()
