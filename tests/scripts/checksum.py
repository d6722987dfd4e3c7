# SPDX-License-Identifier: Apache-2.0
"""Tests of the rig's checksum check: it knows right frames from wrong ones."""

import os
import struct
import sys

import tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../utilities"))

from rig import checksum                            # noqa: E402

ETHERNET = bytes.fromhex("020000000002020000000001")


def ipv4(protocol, payload, src="0a000001", dst="0a000002"):
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0x4000, 64,
                       protocol, 0) + bytes.fromhex(src + dst)
    head = head[:10] + struct.pack(
        "!H", checksum.ones_sum(head) ^ 0xffff) + head[12:]
    return ETHERNET + b"\x08\x00" + head + payload


# From RFC 1071, section 3: the sum of these eight bytes is ddf2.
def test_sum_of_the_rfc(_tmp):
    assert checksum.ones_sum(bytes.fromhex("0001f203f4f5f6f7")) == 0xddf2


def test_header_of_wikipedia(_tmp):
    """A header that others computed: checksum b861."""
    header = bytes.fromhex("4500007300004000 4011b861c0a80001 c0a800c7"
                           .replace(" ", ""))
    assert checksum.ones_sum(header) == 0xffff


def icmp(payload):
    data = b"\0\0\0\0\0\1\0\1" + payload
    return data[:2] + struct.pack(
        "!H", checksum.ones_sum(data) ^ 0xffff) + data[4:]


def test_icmp(_tmp):
    good = ipv4(1, icmp(b"odd"))
    assert checksum.faults(good) == []
    for at in range(14, len(good)):
        bad = bytearray(good)
        bad[at] ^= 0x10
        # A version, flags or protocol that we do not know is not a fault by
        # itself, but the header's checksum then is.
        assert checksum.faults(bytes(bad)), at


def udp(port, payload, sum_=None):
    length = 8 + len(payload)
    head = struct.pack("!HHHH", 1000, port, length, 0)
    pseudo = bytes.fromhex("0a0000010a000002") + struct.pack("!HH", 17, length)
    if sum_ is None:
        sum_ = checksum.ones_sum(pseudo + head + payload) ^ 0xffff or 0xffff
    return head[:6] + struct.pack("!H", sum_) + payload


def test_udp(_tmp):
    assert checksum.faults(ipv4(17, udp(53, b"abc"))) == []
    assert checksum.faults(ipv4(17, udp(53, b"abc", sum_=0))) == []
    assert checksum.faults(ipv4(17, udp(53, b"abc", sum_=77)))
    assert checksum.faults(ipv4(17, udp(53, b"abc")[:-1]))


def test_vlan(_tmp):
    frame = ipv4(17, udp(53, b"abc", sum_=77))
    tagged = frame[:12] + b"\x81\x00\x00\x64" + frame[12:]
    assert checksum.faults(tagged)


def test_tunnels(_tmp):
    for port, header in ((4789, b"\x08" + bytes(7)),
                         (6081, b"\x01\0\x65\x58\0\0\1\0" + bytes(4))):
        for inner_sum, good in ((None, True), (77, False)):
            inner = ipv4(17, udp(53, b"abc", sum_=inner_sum))
            frame = ipv4(17, udp(port, header + inner))
            assert (checksum.faults(frame) == []) == good, (port, inner_sum)


def test_cut_frames(_tmp):
    frame = ipv4(17, udp(53, b"abcdef"))
    for n in range(15, len(frame)):
        assert checksum.faults(frame[:n]), n


tap.main(globals())
