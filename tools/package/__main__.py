"""`python -m memvara_goldens` is the `goldens` command."""

from . import main

main()
