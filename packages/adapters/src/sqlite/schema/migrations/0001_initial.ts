import { type DefinitionDialect, definitions } from "../../../sql/definition.ts"

const appendOnly = (table: string, name: string): string => `
CREATE TRIGGER petstore_${table}_kept BEFORE UPDATE ON petstore_${table}
  BEGIN SELECT RAISE(ABORT, 'the ${name} is append-only'); END;
CREATE TRIGGER petstore_${table}_left BEFORE DELETE ON petstore_${table}
  BEGIN SELECT RAISE(ABORT, 'the ${name} is append-only'); END;`

/** What the access log contains of an account and of an API key; `row` is an alias. */
export const accountState = (row: string): string => `json_array(${row}.name, ${row}.name_key, ${row}.created_at)`

export const apiKeyState = (row: string): string =>
  `json_array(${row}.account_id, ${row}.name, ${row}.scopes, ${row}.created_at, ${row}.expires_at,
    ${row}.revoked, hex(${row}.digest), hex(${row}.previous_digest), ${row}.previous_until)`

/** How the tables of the engine are created in SQLite. */
export const dialect: DefinitionDialect = {
  types: { integer: "INTEGER", text: "TEXT", boolean: "INTEGER", bytes: "BLOB" },
  id: "INTEGER",
  check: (text) => text,
  boolean: (column) => `${column} IN (0, 1)`,
  // A table without rowids is its own index, which long rows would make slow.
  end: ({ generatesIds, isWide }) => (generatesIds || isWide ? " STRICT" : " STRICT, WITHOUT ROWID")
}

/**
 * The SQL that creates the tables of a store, their indexes, and the triggers that keep its logs. No foreign key is deferrable, so
 * that a COMMIT fails for I/O alone. Ids are never reused because deleted rows stay as tombstones.
 */
export const tables = `
${definitions(dialect)}${appendOnly("movements", "stock ledger")}

-- The trace context is that of the call that wrote the event; null if it was not traced.
CREATE TABLE petstore_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  data TEXT NOT NULL,
  trace TEXT
) STRICT;
CREATE TRIGGER petstore_events_kept BEFORE UPDATE ON petstore_events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER petstore_events_left BEFORE DELETE ON petstore_events
  WHEN OLD.seq > coalesce((SELECT seq FROM petstore_checkpoints WHERE subject = 'log'), 0)
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

CREATE TRIGGER petstore_accounts_logged AFTER INSERT ON petstore_accounts
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('accounts/' || NEW.id, ${accountState("NEW")}); END;
CREATE TRIGGER petstore_accounts_kept BEFORE UPDATE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account never changes'); END;
CREATE TRIGGER petstore_accounts_left BEFORE DELETE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account stays'); END;

CREATE TRIGGER petstore_api_keys_logged AFTER INSERT ON petstore_api_keys
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('api-keys/' || NEW.id, ${apiKeyState("NEW")}); END;
CREATE TRIGGER petstore_api_keys_changed
  AFTER UPDATE OF id, account_id, name, scopes, created_at, expires_at, digest, previous_digest, previous_until, revoked
  ON petstore_api_keys
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('api-keys/' || NEW.id, ${apiKeyState("NEW")}); END;
CREATE TRIGGER petstore_api_keys_ended BEFORE UPDATE ON petstore_api_keys WHEN OLD.revoked AND NOT NEW.revoked
  BEGIN SELECT RAISE(ABORT, 'a revoked API key stays revoked'); END;
CREATE TRIGGER petstore_api_keys_left BEFORE DELETE ON petstore_api_keys
  BEGIN SELECT RAISE(ABORT, 'an API key stays, revoked or not'); END;

-- The log of accounts and API keys: each row after each change, except for the time of its last use. Triggers write it, so that
-- it contains every change, in the transaction of the change.
CREATE TABLE petstore_access_log (
  seq INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  state TEXT NOT NULL CHECK (json_type(state) = 'array')
) STRICT;${appendOnly("access_log", "access log")}

-- The note of an unfinished copy into this store: how far it has come. The table is empty otherwise.
CREATE TABLE petstore_restore (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  note TEXT NOT NULL
) STRICT;

-- A store updates this one row to find out whether it can write. Its value has no other meaning.
CREATE TABLE petstore_write_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at TEXT NOT NULL
) STRICT;
`
