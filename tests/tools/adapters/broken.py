"""Takes the cases as it should and then breaks the protocol in the way its argument names."""

import json
import os
import signal
import sys
import time


def crash(number):
    sys.exit("out of ideas")


def kill(number):
    os.kill(os.getpid(), signal.SIGKILL)


def silence(number):
    time.sleep(3600)


def garbled(number):
    print("Listening on port 8080")


def no_answer(number):
    print(json.dumps({"id": number}))


def both(number):
    print(json.dumps({"id": number, "ok": "", "refused": ""}))


def number_alone(number):
    print(number)


def wrong_id(number):
    print(json.dumps({"id": number + 1, "ok": None}))


def no_id(number):
    print(json.dumps({"ok": None}))


def true_id(number):
    print(json.dumps({"id": True, "ok": None}))


def extra(number):
    os.write(1, json.dumps({"id": number, "ok": None}).encode() + b"\ndebug: done\n")


def huge(number):
    while True:
        sys.stdout.write("x" * (1 << 20))


def half(number):
    sys.stdout.write(json.dumps({"id": number, "ok": "never ended"}))
    sys.stdout.flush()
    time.sleep(3600)


def deaf(number):
    """Reads no further request, and so the pipe fills up."""
    print(json.dumps({"id": number, "ok": None}), flush=True)
    time.sleep(3600)


def late(number):
    """Answers, closes its output and lives on."""
    sys.stdout.close()
    time.sleep(3600)


def environment(number):
    """Breaks nothing: it tells what it sees of a knob in its environment."""
    print(json.dumps({"id": number, "ok": os.environ.get("MEMVARA_TOKEN_BUDGET")}))


def pid(number):
    """Breaks nothing: it tells its process."""
    print(json.dumps({"id": number, "ok": os.getpid()}))


breach = globals()[sys.argv[1]]
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "items":
        print(json.dumps({"id": request["id"], "ok": None}), flush=True)
    else:
        breach(request["id"])
        sys.stdout.flush()
