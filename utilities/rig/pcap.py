# SPDX-License-Identifier: Apache-2.0
"""Recordings in libpcap's classic format, and frames to put in them.

The format is described in pcap-savefile(5): a header of 24 bytes, then for
each frame 16 bytes and its contents.
"""

import struct

MAGIC = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<",
         b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
ETHERNET = 1


def write(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535,
                            ETHERNET))
        for frame in frames:
            f.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)))
            f.write(frame)


def read(path):
    """Yields the frames that were recorded whole."""
    with open(path, "rb") as f:
        order = MAGIC.get(f.read(4))
        if not order or len(f.read(20)) < 20:
            return
        while True:
            header = f.read(16)
            if len(header) < 16:
                return
            n, length = struct.unpack(order + "8xII", header)
            frame = f.read(n)
            if len(frame) == length:
                yield frame


def _checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def udp_frame(src, dst, src_port, dst_port, size=60):
    """An Ethernet frame of 'size' bytes (60 and the wire's checksum make the
    smallest there is); addresses are numbers."""
    length = size - 14
    udp = struct.pack("!HHHH", src_port, dst_port, length - 20, 0)
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, length, 0, 0x4000, 64, 17, 0,
                     src, dst)
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    ethernet = bytes.fromhex("020000000002020000000001") + b"\x08\x00"
    return (ethernet + ip + udp).ljust(size, b"\0")


def ping_frame(dst_mac, src_mac, src, dst, sequence, size):
    """An echo request between dotted addresses, in 'size' bytes."""
    icmp = struct.pack("!BBHHH", 8, 0, 0, 1, sequence) + bytes(size - 42)
    icmp = icmp[:2] + struct.pack("!H", _checksum(icmp + b"\0" * (size % 2))
                                  ) + icmp[4:]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, size - 14, 0, 0x4000, 64, 1, 0)
    ip += bytes(int(part) for part in (src + "." + dst).split("."))
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    return dst_mac + src_mac + b"\x08\x00" + ip + icmp
