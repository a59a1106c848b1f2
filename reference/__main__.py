"""`python -m reference`: the protocol over stdin and stdout."""

import sys

from .protocol import serve

sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer, sys.stderr))
