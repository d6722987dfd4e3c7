# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a frame: lengths and checksums, computed afresh.

Knows Ethernet with VLAN tags, ARP, IPv4 (RFC 791), IPv6 without extension
headers (RFC 8200), TCP, UDP, ICMP, ICMPv6, and the frames inside VXLAN (RFC
7348) and Geneve (RFC 8926).  Nothing here is shared with the code under test.
"""

import struct

VLANS = (0x8100, 0x88a8)
ICMP, TCP, UDP, ICMP6 = 1, 6, 17, 58
# Where the checksum stands in each protocol's header.
SUM_AT = {ICMP: 2, TCP: 16, UDP: 6, ICMP6: 2}
VXLAN_PORT, GENEVE_PORT = 4789, 6081


def ones_sum(data):
    """The sum of RFC 1071; 0xffff over data that carries a right checksum."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def faults(frame):
    """Returns a list of what is wrong with 'frame'; empty if all is well."""
    at, kind = 14, int.from_bytes(frame[12:14], "big")
    while kind in VLANS:
        at, kind = at + 4, int.from_bytes(frame[at + 2:at + 4], "big")
    if kind == 0x0800:
        return _ipv4(frame[at:])
    if kind == 0x86dd:
        return _ipv6(frame[at:])
    return []


def _ipv4(packet):
    if len(packet) < 20:
        return ["IPv4 header cut off"]
    size = (packet[0] & 15) * 4
    length, _, fragment = struct.unpack("!HHH", packet[2:8])
    if not size <= length <= len(packet):
        return [f"IPv4 length {length} in {len(packet)} bytes"]
    wrong = []
    if ones_sum(packet[:size]) != 0xffff:
        wrong.append("IPv4 header checksum")
    if not fragment & 0x3fff:           # Whole, not a piece of a datagram.
        wrong += _transport(packet[9], packet[12:20], packet[size:length])
    return wrong


def _ipv6(packet):
    length, protocol = struct.unpack("!HB", packet[4:7])
    if 40 + length > len(packet):
        return [f"IPv6 length {length} in {len(packet)} bytes"]
    return _transport(protocol, packet[8:40], packet[40:40 + length])


def _transport(protocol, addresses, segment):
    if protocol not in SUM_AT:
        return []
    at = SUM_AT[protocol]
    if len(segment) < at + 2:
        return [f"protocol {protocol} cut off"]
    if protocol == UDP:
        length = int.from_bytes(segment[4:6], "big")
        if length != len(segment):
            return [f"UDP length {length} in {len(segment)} bytes"]
        inner = _inside(segment)
        if segment[6:8] == b"\0\0":
            return inner if len(addresses) == 8 else ["no IPv6 UDP checksum"]
    else:
        inner = []
    data = segment
    if protocol != ICMP:
        data = addresses + struct.pack("!II", len(segment), protocol) + segment
    if ones_sum(data) != 0xffff:
        inner = inner + [f"checksum of protocol {protocol}"]
    return inner


def _inside(segment):
    """Faults of the frame in a tunnel's datagram."""
    port = int.from_bytes(segment[2:4], "big")
    if port == VXLAN_PORT:
        at = 16
    elif port == GENEVE_PORT and segment[10:12] == b"\x65\x58":
        at = 16 + (segment[8] & 63) * 4
    else:
        return []
    return [f"inner {fault}" for fault in faults(segment[at:])]
