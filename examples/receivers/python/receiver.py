"""Receives callbacks of SVC: job.done, job.failed, document.saved, document.closed. See ../README.md."""

import datetime
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from download import Downloader
from event import MalformedEvent, parse_event
from store import Store
from verify import VerificationError, verify

MAX_BODY = 1024 * 1024
BODY_SECONDS = 20


def log(what, /, **facts):
    """One line for each thing done: no content, no addresses, no secrets."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    pairs = [f"{name}={value}" for name, value in facts.items() if value is not None]
    print(now.replace("+00:00", "Z"), what, *pairs, flush=True)


def setting(name, otherwise=""):
    """The variable, or the content of the file that NAME_FILE names."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\r\n")
    return os.environ.get(name) or otherwise


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds without a byte
    server_version, sys_version = "receiver", ""

    def do_POST(self):
        try:
            self._answer(self._receive())
        except Exception as error:
            log("failed", reason=type(error).__name__)
            self._answer(500)

    def _other(self):
        self._answer(405 if self.path == "/callbacks" else 404)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _other

    def _receive(self):
        """Status of the answer. Everything but a 2xx makes the service try again."""
        if self.path != "/callbacks":
            return 404
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,12}", length):
            return 411
        raw_body = self._read_body(int(length))
        if raw_body is None:
            log("refused", reason="too_large")
            return 413
        try:
            if self.server.secrets:
                verify(self.headers, raw_body, self.server.secrets)
            event = parse_event(self.headers, raw_body)
        except VerificationError as error:
            log("refused", reason=error.reason)
            return 401
        except MalformedEvent as error:
            log("refused", reason="malformed", what=error)
            return 400
        outcome = self.server.store.record(event)
        facts = {name: event.get(name) for name in ("event", "delivery", "job", "version", "code")}
        log(outcome, **facts)
        if outcome == "recorded":
            self.server.downloader.wake()
        return 204

    def _read_body(self, length):
        """The raw bytes, or None when there are too many; a little too many are read so that the sender sees the answer."""
        chunks, left, deadline = [], min(length, 16 * MAX_BODY), time.monotonic() + BODY_SECONDS
        while left > 0:
            chunk = self.rfile.read1(min(left, 65536))
            if not chunk or time.monotonic() > deadline:
                raise ConnectionError("closed early or too slow")
            left -= len(chunk)
            if length <= MAX_BODY:
                chunks.append(chunk)
        return b"".join(chunks) if length <= MAX_BODY else None

    def _answer(self, status):
        self.close_connection = True
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        """Quiet: `log` says what was done."""


class Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """The sender has gone; it will try again."""


def main():
    secrets = [secret for secret in (setting("CALLBACK_SECRET"), setting("CALLBACK_SECRET_OLD")) if secret]
    # A forgotten secret must not open the door.
    if not secrets and setting("CALLBACK_ALLOW_UNSIGNED") != "1":
        raise SystemExit("CALLBACK_SECRET is not set")
    base_url = setting("SVC_BASE_URL").rstrip("/")
    if not re.fullmatch(r"https?://[^/?#@\s\\]+(/[A-Za-z0-9_./-]*)?", base_url):
        raise SystemExit("SVC_BASE_URL is no http address")
    directory = setting("RECEIVER_DIR", "./received")
    host, port = setting("RECEIVER_LISTEN", "127.0.0.1:8090").rsplit(":", 1)

    server = Server((host, int(port)), Receiver)
    server.secrets = secrets
    server.store = Store(directory)
    server.downloader = Downloader(server.store, directory, base_url, setting("SVC_API_KEY"), log)
    if not secrets:
        log("warning: callbacks are not verified")
    log(f"listening on http://{host}:{server.server_address[1]}/callbacks")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
