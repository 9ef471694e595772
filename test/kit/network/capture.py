"""Writes what passes between addresses over the loopback device: python3 capture.py <file> <address>...

Each record: the addresses and ports of both ends (4 and 2 bytes each), the length of the payload (4 bytes), the payload. Prints "ready"
once it listens; when its input ends, how many packets the kernel had to drop, and ends.
"""

import select
import socket
import struct
import sys

path, addresses = sys.argv[1], {socket.inet_aton(one) for one in sys.argv[2:]}
IPV4, PACKET_STATISTICS, SOL_PACKET, OUTGOING = 0x0800, 6, 263, 4

line = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(IPV4))
line.setsockopt(socket.SOL_SOCKET, 33, 256 * 1024 * 1024)  # SO_RCVBUFFORCE
line.bind(("lo", IPV4))
line.setblocking(False)
print("ready", flush=True)


def record(packet, out):
    header = (packet[0] & 15) * 4
    if packet[9] != 6 or not {packet[12:16], packet[16:20]} & addresses:
        return
    tcp = packet[header : struct.unpack("!H", packet[2:4])[0] or len(packet)]
    payload = tcp[(tcp[12] >> 4) * 4 :]
    if payload:
        out.write(packet[12:16] + tcp[0:2] + packet[16:20] + tcp[2:4] + struct.pack("!I", len(payload)) + payload)


with open(path, "wb") as out:
    while True:
        ready, _, _ = select.select([line, sys.stdin], [], [])
        if line in ready:
            packet, address = line.recvfrom(262144)
            if address[2] != OUTGOING:  # on this device each packet passes twice
                record(packet, out)
        elif not sys.stdin.read():
            break

packets, drops = struct.unpack("II", line.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
print(drops, flush=True)
