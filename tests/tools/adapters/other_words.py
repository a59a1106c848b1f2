"""A sound program that says the words of the file that its first argument names.

After it, `--bullets` prints lists with another sign, and `--uncounted` takes characters for tokens.
"""

import json
import sys
from pathlib import Path

from reference import wording
from reference.protocol import Session, answer

session = Session(words=wording.load(Path(sys.argv[1])))
if "--uncounted" in sys.argv:
    session.count = len  # of characters, so that less fits a budget
for line in sys.stdin.buffer:
    reply = answer(json.loads(line), session)
    if "--bullets" in sys.argv and isinstance(reply.get("ok"), str):
        reply["ok"] = reply["ok"].replace("\n- [", "\n* [")
    print(json.dumps(reply), flush=True)
