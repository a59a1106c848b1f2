"""`python -m tools.synthetic` writes the synthetic files under goldens/cases anew."""

from . import write

write()
