"""Writes what passes over the loopback device from or to networks: python3 capture.py <file> <network>...

A network is the beginning of its addresses: 127.7.0, or one whole address.

Each record: the addresses and ports of both ends (4 and 2 bytes each), the length of the payload (4 bytes), the payload. Prints "ready"
once it listens; when its input ends, how many packets were missed, and ends.
"""

import ctypes
import select
import socket
import struct
import sys
import time

path, networks = sys.argv[1], [bytes(map(int, one.split("."))) for one in sys.argv[2:]]
IPV4, PACKET_STATISTICS, SOL_PACKET, OUTGOING = 0x0800, 6, 263, 4
SO_RCVBUFFORCE, SO_ATTACH_FILTER = 33, 26
LOAD_WORD, AND, EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
SOURCE, DESTINATION = 12, 16
DRAIN_SECONDS = 20


def program():
    """For the kernel: packets of others are not even counted."""
    tests = [(at, network) for network in networks for at in (SOURCE, DESTINATION)]
    steps = []
    for left, (at, network) in enumerate(reversed(tests)):
        mask = int.from_bytes((b"\xff" * len(network)).ljust(4, b"\0"), "big")
        value = int.from_bytes(network.ljust(4, b"\0"), "big")
        steps[:0] = [(LOAD_WORD, 0, 0, at), (AND, 0, 0, mask), (EQUAL, 3 * left + 1, 0, value)]
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, (RETURN, 0, 0, 0), (RETURN, 0, 0, 0xFFFFFFFF)])


def record(packet, out):
    header = (packet[0] & 15) * 4
    if packet[9] != 6:
        return
    tcp = packet[header : struct.unpack("!H", packet[2:4])[0] or len(packet)]
    payload = tcp[(tcp[12] >> 4) * 4 :]
    if payload:
        out.write(packet[12:16] + tcp[0:2] + packet[16:20] + tcp[2:4] + struct.pack("!I", len(payload)) + payload)


def take(line, out):
    """False when nothing waits."""
    try:
        packet, address = line.recvfrom(262144)
    except BlockingIOError:
        return False
    if address[2] != OUTGOING:  # on this device each packet passes twice
        record(packet, out)
    return True


line = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
steps = ctypes.create_string_buffer(program())
filter = struct.pack("HL", (len(steps) - 1) // 8, ctypes.addressof(steps))
line.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter)
line.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 * 1024 * 1024)
line.bind(("lo", IPV4))
line.setblocking(False)
print("ready", flush=True)

with open(path, "wb") as out:
    while sys.stdin not in select.select([line, sys.stdin], [], [])[0]:
        take(line, out)
    deadline = time.monotonic() + DRAIN_SECONDS
    while (late := time.monotonic() > deadline) is False and take(line, out):
        pass

packets, drops = struct.unpack("II", line.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
print(drops + late, flush=True)
