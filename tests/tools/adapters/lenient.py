"""A sound program but for integers, which it reads as floats: it accepts 3e1."""

import json
import sys

from reference.protocol import Session, answer

session = Session()
for line in sys.stdin.buffer:
    request = json.loads(line)
    env = request.get("env", {})
    if env.get("MEMVARA_SEARCH_K", "").endswith("e1"):
        env["MEMVARA_SEARCH_K"] = str(int(float(env["MEMVARA_SEARCH_K"])))
    print(json.dumps(answer(request, session)), flush=True)
