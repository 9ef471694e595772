"""Plays one client of a database with a library of Python, as recorder.ts does with libraries of Node.js.

python3 recorder.py redis-py|glide HOST PORT CLIENT [default|several|once|cluster]
"""
import importlib
import json
import random
import select
import sys
import time

LIBRARY, HOST, PORT, NAME = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
ATTEMPTS = sys.argv[5] if len(sys.argv) > 5 else "several"
SLICE_NS = 4_000_000_000
REGISTERS = 3

library = importlib.import_module({"redis-py": "use_redis_py", "glide": "use_glide"}[LIBRARY])
client = library.ClusterClient(HOST, PORT) if ATTEMPTS == "cluster" else library.Client(HOST, PORT, ATTEMPTS)


def is_over():
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.read(1)


def emit(key, begin, end, act):
    line = {"client": NAME, "key": key, "begin": begin, "act": act}
    if end is not None:
        line["end"] = end
    print(json.dumps(line), flush=True)


def failed(error):
    text = repr(error).replace("\n", " ")
    print(f"{NAME}: {text}", file=sys.stderr, flush=True)


def swap(key, to):
    """The read is an operation of its own; None when the connection ended before it."""
    answer = client.swap(key, to)
    if answer is None:
        return None
    value, is_set = answer
    if is_set:
        return {"kind": "compare-and-set", "from": value, "to": to}
    return {"kind": "get", "value": value}


def operate(number):
    begin = time.monotonic_ns()
    piece = begin // SLICE_NS
    dice = random.random()
    register = f"register-{random.randrange(REGISTERS)}-{piece}"
    sequence = f"list-{piece}"
    value = f"{NAME}-{number}"
    if dice < 0.3:
        key, unknown, run = register, None, lambda: {"kind": "get", "value": client.get(register)}
    elif dice < 0.55:
        key, unknown = register, {"kind": "set", "value": value}
        run = lambda: client.set(register, value) and unknown
    elif dice < 0.75:
        key, unknown, run = register, {"kind": "exchange", "to": value}, lambda: swap(register, value)
    elif dice < 0.93:
        key, unknown = sequence, {"kind": "append", "value": value}
        run = lambda: {**unknown, "length": client.append(sequence, value)}
    else:
        key, unknown, run = sequence, None, lambda: {"kind": "read-list", "values": client.list(sequence)}
    try:
        act = run()
        if act is not None:
            emit(key, begin, time.monotonic_ns(), act)
    except library.ERRORS as error:
        failed(error)
        if unknown is not None:
            emit(key, begin, None, unknown)


number = 0
while not is_over():
    operate(number)
    number += 1
