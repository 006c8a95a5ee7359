import type { DatabaseSync } from 'node:sqlite';

/** One step a version, the first makes an empty database. A step that was released never changes: add another. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE documents (
    doc_id        TEXT PRIMARY KEY,
    key           TEXT NOT NULL UNIQUE,
    file_type     TEXT NOT NULL,
    title         TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    last_view_at  INTEGER NOT NULL,
    closed_at     INTEGER,
    callback_url  TEXT,
    base_url      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX documents_state ON documents (state);

  CREATE TABLE versions (
    doc_id            TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    version           INTEGER NOT NULL,
    sha256            TEXT NOT NULL,
    size              INTEGER NOT NULL,
    saved_at          INTEGER NOT NULL,
    saved_by          TEXT,
    autosave          INTEGER NOT NULL,
    final             INTEGER NOT NULL,
    modified_by_user  INTEGER NOT NULL,
    nonce             TEXT,
    PRIMARY KEY (doc_id, version)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX versions_sha256 ON versions (sha256);

  CREATE TABLE sessions (
    session_id      TEXT PRIMARY KEY,
    doc_id          TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    mode            TEXT NOT NULL CHECK (mode IN ('edit', 'view')),
    requested_mode  TEXT NOT NULL CHECK (requested_mode IN ('edit', 'view')),
    has_edited      INTEGER NOT NULL,
    token_hash      TEXT NOT NULL UNIQUE,
    user            TEXT NOT NULL,
    lang            TEXT NOT NULL,
    ui              TEXT NOT NULL,
    origin          TEXT,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    closed_at       INTEGER
  ) STRICT;
  CREATE INDEX sessions_of_document ON sessions (doc_id);
  CREATE INDEX sessions_expires_at ON sessions (expires_at);
  CREATE INDEX sessions_closed_at ON sessions (closed_at) WHERE closed_at IS NOT NULL;

  -- No reference to the document: a callback outlives it. AUTOINCREMENT: an id is never given twice.
  CREATE TABLE deliveries (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery         TEXT NOT NULL UNIQUE,
    doc_id           TEXT NOT NULL,
    key              TEXT NOT NULL,
    event            TEXT NOT NULL,
    version          INTEGER NOT NULL,
    url              TEXT NOT NULL,
    body             TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'given_up')),
    attempts         INTEGER NOT NULL,
    next_attempt_at  INTEGER NOT NULL,
    last_status      INTEGER,
    ended_at         INTEGER
  ) STRICT;
  CREATE INDEX deliveries_pending ON deliveries (doc_id, id) WHERE state = 'pending';
  CREATE INDEX deliveries_given_up ON deliveries (ended_at, id) WHERE state = 'given_up';
  CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
  `,
  'ALTER TABLE sessions ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0',
  'CREATE INDEX deliveries_of_document ON deliveries (doc_id)',
];

/**
 * Brings a database to the newest version, each step all or nothing.
 * @throws {Error} when a newer release made it
 */
export function migrate(database: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) {
    throw new Error(`its version is ${version}, made by a newer release; this one knows ${migrations.length}`);
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    try {
      database.exec(`BEGIN; ${statements}; PRAGMA user_version = ${index + 1}; COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
