import type { Schema } from '../../../src/common/sql/postgres-tables.ts';

/** The words by which the definitions of one database differ from those of others. */
interface Words {
  integer: string;
  real: string;
  /** A primary key of ascending numbers, none of which is given twice. */
  identity: string;
  /** The SQL that ends a table, and a table that is stored in the order of its key. */
  strict: string;
  clustered: string;
}

type Migration = (words: Words) => string;

/**
 * One step a version. A released step never changes. While a release is rolled out, the one before works with the
 * database: a step adds what has a default, or removes what that release does not use.
 */
const MIGRATIONS: readonly Migration[] = [
  ({ integer, identity, strict, clustered }) => `
  CREATE TABLE documents (
    doc_id        TEXT PRIMARY KEY,
    key           TEXT NOT NULL UNIQUE,
    file_type     TEXT NOT NULL,
    title         TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'closed')),
    version       ${integer} NOT NULL,
    created_at    ${integer} NOT NULL,
    last_view_at  ${integer} NOT NULL,
    closed_at     ${integer},
    callback_url  TEXT,
    base_url      TEXT NOT NULL
  )${strict};
  CREATE INDEX documents_state ON documents (state);

  CREATE TABLE versions (
    doc_id            TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    version           ${integer} NOT NULL,
    sha256            TEXT NOT NULL,
    size              ${integer} NOT NULL,
    saved_at          ${integer} NOT NULL,
    saved_by          TEXT,
    autosave          ${integer} NOT NULL,
    final             ${integer} NOT NULL,
    modified_by_user  ${integer} NOT NULL,
    nonce             TEXT,
    PRIMARY KEY (doc_id, version)
  )${clustered};
  CREATE INDEX versions_sha256 ON versions (sha256);

  CREATE TABLE sessions (
    session_id      TEXT PRIMARY KEY,
    doc_id          TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    mode            TEXT NOT NULL CHECK (mode IN ('edit', 'view')),
    requested_mode  TEXT NOT NULL CHECK (requested_mode IN ('edit', 'view')),
    has_edited      ${integer} NOT NULL,
    token_hash      TEXT NOT NULL UNIQUE,
    "user"          TEXT NOT NULL,
    lang            TEXT NOT NULL,
    ui              TEXT NOT NULL,
    origin          TEXT,
    created_at      ${integer} NOT NULL,
    expires_at      ${integer} NOT NULL,
    closed_at       ${integer}
  )${strict};
  CREATE INDEX sessions_of_document ON sessions (doc_id);
  CREATE INDEX sessions_expires_at ON sessions (expires_at);
  CREATE INDEX sessions_closed_at ON sessions (closed_at) WHERE closed_at IS NOT NULL;

  -- No reference to the document: a callback outlives it. An id is never given twice.
  CREATE TABLE deliveries (
    id               ${identity},
    delivery         TEXT NOT NULL UNIQUE,
    doc_id           TEXT NOT NULL,
    key              TEXT NOT NULL,
    event            TEXT NOT NULL,
    version          ${integer} NOT NULL,
    url              TEXT NOT NULL,
    body             TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'given_up')),
    attempts         ${integer} NOT NULL,
    next_attempt_at  ${integer} NOT NULL,
    last_status      ${integer},
    ended_at         ${integer}
  )${strict};
  CREATE INDEX deliveries_pending ON deliveries (doc_id, id) WHERE state = 'pending';
  CREATE INDEX deliveries_given_up ON deliveries (ended_at, id) WHERE state = 'given_up';
  CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
  `,
  ({ integer }) => `ALTER TABLE sessions ADD COLUMN read_only ${integer} NOT NULL DEFAULT 0`,
  () => 'CREATE INDEX deliveries_of_document ON deliveries (doc_id)',
  // Bytes were named by their hash before.
  ({ integer, clustered }) => `
  ALTER TABLE versions ADD COLUMN blob TEXT NOT NULL DEFAULT '';
  UPDATE versions SET blob = sha256;
  DROP INDEX versions_sha256;
  CREATE INDEX versions_blob ON versions (blob);

  CREATE TABLE uploads (
    blob     TEXT PRIMARY KEY,
    doc_id   TEXT NOT NULL,
    gate     TEXT NOT NULL,
    seen_at  ${integer} NOT NULL
  )${clustered};
  CREATE INDEX uploads_of_document ON uploads (doc_id);

  CREATE TABLE removals (
    blob  TEXT PRIMARY KEY,
    at    ${integer} NOT NULL
  )${clustered};
  CREATE INDEX removals_at ON removals (at);
  `,
  ({ integer, strict }) => `
  CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until ${integer} NOT NULL)${strict};
  CREATE TABLE shared_texts (name TEXT PRIMARY KEY, version ${integer} NOT NULL, value TEXT NOT NULL)${strict};
  `,
  ({ integer, real, clustered }) => `
  ALTER TABLE uploads ADD COLUMN state TEXT NOT NULL DEFAULT 'over';

  CREATE TABLE unsaved (
    id      TEXT PRIMARY KEY,
    doc_id  TEXT NOT NULL,
    pid     ${integer} NOT NULL,
    at      ${integer} NOT NULL,
    blob    TEXT NOT NULL,
    sha256  TEXT NOT NULL,
    size    ${integer} NOT NULL
  )${clustered};
  CREATE INDEX unsaved_of_document ON unsaved (doc_id);
  CREATE INDEX unsaved_blob ON unsaved (blob);

  CREATE TABLE memories (
    kind    TEXT NOT NULL,
    doc_id  TEXT NOT NULL,
    key     TEXT NOT NULL,
    value   ${real},
    at      ${integer} NOT NULL,
    PRIMARY KEY (kind, doc_id, key)
  )${clustered};
  CREATE INDEX memories_at ON memories (at);

  CREATE TABLE secret_keys (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
  )${clustered};
  `,
  // It finds what the one before found, too.
  () => `
  CREATE INDEX documents_closed ON documents (state, closed_at, doc_id);
  DROP INDEX documents_state;
  `,
  // Those that live are counted for each status. The release before finds those that ended without it, in some seconds.
  () => `
  CREATE INDEX sessions_live ON sessions (expires_at) WHERE closed_at IS NULL;
  DROP INDEX sessions_expires_at;
  `,
];

const OF_SQLITE: Words = {
  integer: 'INTEGER',
  real: 'REAL',
  identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  strict: ' STRICT',
  clustered: ' STRICT, WITHOUT ROWID',
};

const OF_POSTGRES: Words = {
  integer: 'BIGINT',
  real: 'DOUBLE PRECISION',
  identity: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
  strict: '',
  clustered: '',
};

/** The steps, each one text of SQL. */
export const SQLITE_MIGRATIONS: readonly string[] = MIGRATIONS.map((step) => step(OF_SQLITE));
export const POSTGRES_SCHEMA: Schema = {
  schema: 'svc_schema',
  steps: MIGRATIONS.map((step) => step(OF_POSTGRES)),
  // It goes up with a step that takes away what older releases use: those before 4 find bytes by their hash alone.
  oldest: 4,
};
