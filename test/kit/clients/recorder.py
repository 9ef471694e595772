"""Plays one client of a database with redis-py, as recorder.ts does with libraries of Node.js.

python3 recorder.py HOST PORT CLIENT [once]
"""
import json
import random
import select
import sys
import time

import redis
from redis.backoff import NoBackoff
from redis.maint_notifications import EndpointType, MaintNotificationsConfig
from redis.retry import Retry

HOST, PORT, NAME = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SLICE_NS = 4_000_000_000
REGISTERS = 3

ONCE = {"retry": Retry(NoBackoff(), 0)} if sys.argv[4:] == ["once"] else {}
MOVING = MaintNotificationsConfig(enabled=True, endpoint_type=EndpointType.NONE)
client = redis.Redis(
    host=HOST, port=PORT, protocol=3, decode_responses=True, maint_notifications_config=MOVING, **ONCE
)
# a connection with a WATCH is not asked to move
exchanging = redis.Redis(host=HOST, port=PORT, decode_responses=True, **ONCE)


def is_over():
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.read(1)


def emit(key, begin, end, act):
    line = {"client": NAME, "key": key, "begin": begin, "act": act}
    if end is not None:
        line["end"] = end
    print(json.dumps(line), flush=True)


def failed(error):
    print(f"{NAME}: {error!r}", file=sys.stderr, flush=True)


def swap(key, to):
    """The read is an operation of its own; None when the connection ended before it."""
    with exchanging.pipeline() as transaction:
        try:
            transaction.watch(key)
            value = transaction.get(key)
        except redis.WatchError:
            return None
        transaction.multi()
        transaction.set(key, to)
        try:
            transaction.execute()
            return {"kind": "compare-and-set", "from": value, "to": to}
        except redis.WatchError:
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
        run = lambda: {**unknown, "length": client.rpush(sequence, value)}
    else:
        key, unknown, run = sequence, None, lambda: {"kind": "read-list", "values": client.lrange(sequence, 0, -1)}
    try:
        act = run()
        if act is not None:
            emit(key, begin, time.monotonic_ns(), act)
    except redis.RedisError as error:
        failed(error)
        if unknown is not None:
            emit(key, begin, None, unknown)


number = 0
while not is_over():
    operate(number)
    number += 1
