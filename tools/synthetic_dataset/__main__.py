"""`python -m tools.synthetic_dataset` writes goldens/cases/longmemeval_synthetic.* anew."""

from . import write

write()
