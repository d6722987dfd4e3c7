# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC over a Unix socket that stays open: ovs-vswitchd's control socket
and ovsdb-server (RFC 7047).

Asking costs no process, so what is measured is the answer.

    with Connection(switch.control_path()) as control:
        print(control.call("version"))
"""

import json
import socket

from .process import RigError

TIMEOUT_S = 60


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_S)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise RigError(f"{path}: {error.strerror}") from error
        self.decoder = json.JSONDecoder()
        self.buffer = ""
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.socket.close()

    def call(self, method, *params):
        """The result; notifications that come first are forgotten."""
        self.last_id += 1
        self._send({"method": method, "params": params, "id": self.last_id})
        while True:
            message = self._receive()
            if message.get("method") == "echo":
                self._send({"result": message["params"], "error": None,
                            "id": message["id"]})
            elif message.get("id") == self.last_id:
                if message.get("error"):
                    raise RigError(f"{method}: {message['error']}")
                return message["result"]

    def next_notification(self):
        """The parameters of the next one."""
        while True:
            message = self._receive()
            if message.get("method") == "echo":
                self._send({"result": message["params"], "error": None,
                            "id": message["id"]})
            elif "method" in message:
                return message["params"]

    def _send(self, message):
        self.socket.sendall(json.dumps(message).encode())

    def _receive(self):
        while True:
            try:
                message, end = self.decoder.raw_decode(self.buffer)
                self.buffer = self.buffer[end:].lstrip()
                return message
            except ValueError:
                pass            # It is not there in full.
            try:
                data = self.socket.recv(1 << 20)
            except OSError as error:
                raise RigError(f"no answer: {error}") from error
            if not data:
                raise RigError("the connection was closed")
            self.buffer += data.decode()
