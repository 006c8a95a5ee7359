"""Downloads the files of recorded events, one at a time; nobody who sends a callback waits for it."""

import hashlib
import http.client
import os
import re
import threading
import time
import urllib.error
import urllib.request

SCHEDULE = [5, 30, 300]
"""Seconds before each further try. An event that is given up is tried again at the next start."""

TIMEOUT = 30


class Hopeless(Exception):
    """A download that will not go better later."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Downloader:
    def __init__(self, store, directory, base_url, api_key, log):
        self._store, self._base_url, self._api_key, self._log = store, base_url, api_key, log
        self._files = os.path.join(directory, "files")
        os.makedirs(self._files, mode=0o700, exist_ok=True)
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._woken = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def wake(self):
        """There is something new to download."""
        self._woken.set()

    def _run(self):
        while True:
            self._woken.clear()
            event = self._store.next_download()
            wait = None if event is None else event["due"] - time.time()
            if wait is None or wait > 0:
                self._woken.wait(min(wait or 3600, 3600))
                continue
            try:
                self._attempt(event)
            except Exception as error:  # a full disk, say: the thread has to go on
                self._log("failed", reason=type(error).__name__)
                time.sleep(SCHEDULE[0])

    def _attempt(self, event):
        facts = {"event": event["event"], "delivery": event["delivery"]}
        try:
            # Versions are downloaded in any order; a late one may not overwrite a newer one.
            if event["key"] is not None and event["version"] < self._store.held(event["key"]):
                self._log("superseded", **facts)
            else:
                for file in event["files"]:
                    self._download(event, file)
                    self._log("downloaded", **facts, file=file["name"], size=file["size"])
            self._store.settle(event["delivery"])
        except Hopeless as error:
            self._log("download_failed", **facts, reason=error)
            self._store.settle(event["delivery"])
        except (OSError, ValueError, http.client.HTTPException) as error:
            self._log("download_failed", **facts, reason=_reason(error))
            if event["tries"] < len(SCHEDULE):
                self._store.postpone(event["delivery"], SCHEDULE[event["tries"]])
            else:
                self._log("download_given_up", **facts)
                self._store.postpone(event["delivery"], 10**9)

    def _download(self, event, file):
        if not is_ours(file, self._base_url):
            raise Hopeless("address_not_allowed")
        request = urllib.request.Request(file["url"])
        if file["id"]:
            # A document's address carries its own signature; the key goes to DocBuilder's files only.
            request.add_unredirected_header("Authorization", f"Bearer {self._api_key}")
        part = os.path.join(self._files, f"{event['delivery']}.part")
        try:
            with self._opener.open(request, timeout=TIMEOUT) as response:
                _save(response, part, file)
            os.replace(part, os.path.join(self._files, file["name"]))
        except urllib.error.HTTPError as error:
            passing = error.code == 429 or error.code >= 500
            raise (ValueError if passing else Hopeless)(f"status_{error.code}") from None
        finally:
            if os.path.exists(part):
                os.remove(part)


def _save(response, path, file):
    """Writes the file, if it has the size and the hash in the event."""
    digest, received = hashlib.sha256(), 0
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        while chunk := response.read(65536):
            received += len(chunk)
            if received > file["size"]:
                raise ValueError("size")
            digest.update(chunk)
            out.write(chunk)
        if received != file["size"]:
            raise ValueError("size")
        if digest.hexdigest() != file["sha256"]:
            raise ValueError("sha256")
        out.flush()
        os.fsync(out.fileno())


def is_ours(file, base_url):
    """Whether the address leads to our own service. Even with a stolen callback secret nobody can make us send the API
    key, or any request, elsewhere."""
    url = file["url"]
    if file["id"]:
        return url == f"{base_url}/v1/files/{file['id']}"
    path = re.escape(f"{base_url}/svc/embed/files/")
    return re.fullmatch(path + r"[A-Za-z0-9_/?&=.-]*", url) is not None and ".." not in url


def _reason(error):
    """A word for the log; messages of the system may hold an address."""
    return error if type(error) is ValueError else type(error).__name__
