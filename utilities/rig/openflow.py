# SPDX-License-Identifier: Apache-2.0
"""Bundles of flow changes as streams of bytes, made before they are sent.

The messages are those of OpenFlow 1.4 (ONF TS-012: 7.3.4.2 "Modify Flow
Entry", 7.3.9 "Bundle messages"; matches in 7.2.2).  A client that only has to
copy bytes leaves the processor to the switch.

    with Controller(f"{lab.run_dir}/br0.mgmt") as controller:
        controller.send(bundle(1, [flow(ADD, 100, dst, 24, 2), ...]))
        controller.await_commits(1)
"""

import socket
import struct

from .process import RigError

VERSION = 5
HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY = range(4)
FLOW_MOD = 14
BUNDLE_CONTROL, BUNDLE_ADD_MESSAGE = 33, 34
OPEN_REQUEST, COMMIT_REQUEST, COMMIT_REPLY = 0, 4, 5
ATOMIC_AND_ORDERED = 3
ADD, DELETE_STRICT = 0, 4

HEADER = struct.Struct("!BBHI")
TIMEOUT_S = 60


def message(kind, xid, body=b""):
    return HEADER.pack(VERSION, kind, HEADER.size + len(body), xid) + body


def _padded(data):
    return data + bytes(-len(data) % 8)


def _match(address, prefix):
    """eth_type and ipv4_dst, as OXM fields of the basic class."""
    mask = 0xffffffff << (32 - prefix) & 0xffffffff
    oxm = struct.pack("!IH", 0x80000a02, 0x0800)
    if prefix == 32:
        oxm += struct.pack("!II", 0x80001804, address)
    else:
        oxm += struct.pack("!III", 0x80001908, address & mask, mask)
    return _padded(struct.pack("!HH", 1, 4 + len(oxm)) + oxm)


def flow(command, priority, address, prefix, output):
    """The body of a change of the flow in table 0 that sends IPv4 packets to
    address/prefix out of a port."""
    instructions = b""
    if command == ADD:
        action = struct.pack("!HHIH6x", 0, 16, output, 0)
        instructions = struct.pack("!HH4x", 4, 8 + len(action)) + action
    fixed = struct.pack("!QQBBHHHIIIHH", 0, 0, 0, command, 0, 0, priority,
                        0xffffffff, 0xffffffff, 0xffffffff, 0, 0)
    return fixed + _match(address, prefix) + instructions


def bundle(number, flows):
    """All messages of one bundle, from its opening to its commit."""
    def control(what):
        return message(BUNDLE_CONTROL, number, struct.pack(
            "!IHH", number, what, ATOMIC_AND_ORDERED))

    add = struct.pack("!I2xH", number, ATOMIC_AND_ORDERED)
    return b"".join(
        [control(OPEN_REQUEST)]
        + [message(BUNDLE_ADD_MESSAGE, number,
                   add + message(FLOW_MOD, number, body)) for body in flows]
        + [control(COMMIT_REQUEST)])


class Controller:
    """A connection to a bridge's management socket.  One thread sends while
    another one waits for what was committed."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_S)
        self.buffer = b""
        self.n_committed = 0
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise RigError(f"{path}: {error.strerror}") from error
        self.send(message(HELLO, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise RigError(f"the switch takes no more: {error}") from error

    def await_commits(self, n):
        """Returns when 'n' bundles have been committed in all."""
        while self.n_committed < n:
            kind, body = self._receive()
            if kind == ERROR:
                raise RigError("the switch refused a bundle: error "
                               f"{struct.unpack('!HH', body[:4])}")
            if kind == BUNDLE_CONTROL and struct.unpack_from(
                    "!H", body, 4)[0] == COMMIT_REPLY:
                self.n_committed += 1

    def _receive(self):
        """The next message that is not an echo request.  Those are left
        without an answer: the switch sends none to who is not idle."""
        while True:
            if len(self.buffer) >= HEADER.size:
                _, kind, length, _ = HEADER.unpack_from(self.buffer)
                if len(self.buffer) >= length:
                    body = self.buffer[HEADER.size:length]
                    self.buffer = self.buffer[length:]
                    if kind != ECHO_REQUEST:
                        return kind, body
                    continue
            try:
                data = self.socket.recv(1 << 16)
            except OSError as error:
                raise RigError(f"no bundle was committed: {error}") from error
            if not data:
                raise RigError("the switch closed the connection")
            self.buffer += data
