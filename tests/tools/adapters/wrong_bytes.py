"""A sound program but for one blank at the end of every prompt."""

import json
import sys

from reference.protocol import Session, answer

session = Session()
for line in sys.stdin.buffer:
    reply = answer(json.loads(line), session)
    if isinstance(reply.get("ok"), str):
        reply["ok"] += " "
    print(json.dumps(reply), flush=True)
