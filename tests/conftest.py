"""What all tests share: the same hypothesis examples every time, and none of the caller's knobs."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "memvara",
    max_examples=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # a busy machine is no fault of a test
)
settings.load_profile("memvara")

# Before any test module is imported, and in the processes that tests start.
for name in [name for name in os.environ if name.startswith(("MEMVARA_", "OPENAI_MODEL_"))]:
    del os.environ[name]
