"""Keeps events in SQLite, and knows which have been seen. Any database with unique columns and transactions will do."""

import json
import os
import sqlite3
import threading
import time

TABLE = """
create table if not exists event (
  delivery text primary key,
  subject  text not null unique,
  event    text not null,
  key      text,
  version  integer,
  files    text not null,
  tries    integer not null default 0,
  due      real  -- Unix seconds of the next download; null: nothing is left to do
);
create index if not exists event_version on event (key, version);
create index if not exists event_due on event (due) where due is not null;
"""


class Store:
    def __init__(self, directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(os.path.join(directory, "events.sqlite"), check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        # A commit returns once the event is safely on disk.
        self._db.execute("pragma synchronous = full")
        self._db.executescript(TABLE)
        # What an earlier run gave up gets another chance.
        with self._db:
            self._db.execute("update event set due = 0, tries = 0 where due is not null")

    def record(self, event):
        """`recorded`, `repeat` (seen before) or `older` (this or a greater version of the document is held)."""
        key, version, files = event.get("key"), event.get("version"), event["files"]
        with self._lock, self._db:
            seen = self._db.execute(
                "select 1 from event where delivery = ? or subject = ?", (event["delivery"], event["subject"])
            )
            if seen.fetchone():
                return "repeat"
            if key is not None and version <= self._held(key):
                if event["event"] == "document.saved":
                    return "older"
                # The end of editing brings its last version again: of use only when the save itself never came.
                files = []
            self._db.execute(
                "insert into event (delivery, subject, event, key, version, files, due) values (?, ?, ?, ?, ?, ?, ?)",
                (event["delivery"], event["subject"], event["event"], key, version, json.dumps(files),
                 time.time() if files else None),
            )
            return "recorded"

    def held(self, key):
        """The greatest version of the document that was announced."""
        with self._lock:
            return self._held(key)

    def next_download(self):
        """The event whose files are to be downloaded next, and when (Unix seconds); None when there is none."""
        with self._lock:
            row = self._db.execute("select * from event where due is not null order by due limit 1").fetchone()
        return {**row, "files": json.loads(row["files"])} if row else None

    def postpone(self, delivery, seconds):
        with self._lock, self._db:
            self._db.execute(
                "update event set tries = tries + 1, due = ? where delivery = ?", (time.time() + seconds, delivery)
            )

    def settle(self, delivery):
        """Nothing is left to do for the event."""
        with self._lock, self._db:
            self._db.execute("update event set due = null where delivery = ?", (delivery,))

    def _held(self, key):
        return self._db.execute("select max(version) from event where key = ?", (key,)).fetchone()[0] or 0
