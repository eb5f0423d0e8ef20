import { hostCalls } from "./0001_hostCalls.ts"

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

// CHECK constraints stand behind the rules of the domain: every invariant that one row can show. No foreign key of these tables
// is deferrable, so that a COMMIT fails for I/O alone. Ids are never reused because deleted rows stay as tombstones. A page of
// a list is read from one index in its order, whatever its filters: lists without a status merge the ranges of the three.
export const initial = `
CREATE TABLE petstore_categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  name_key TEXT NOT NULL,
  description TEXT,
  version INTEGER NOT NULL CHECK (version >= 1),
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX petstore_categories_name ON petstore_categories (name_key) WHERE NOT deleted;
CREATE INDEX petstore_categories_live ON petstore_categories (id) WHERE NOT deleted;

CREATE TABLE petstore_pets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  category_id INTEGER NOT NULL REFERENCES petstore_categories (id),
  status TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  on_hand INTEGER NOT NULL CHECK (on_hand BETWEEN 0 AND 2147483647),
  reserved INTEGER NOT NULL CHECK (reserved BETWEEN 0 AND on_hand),
  held INTEGER NOT NULL CHECK (held IN (0, 1) AND (NOT held OR on_hand > 0)),
  stock_version INTEGER NOT NULL CHECK (stock_version >= 1),
  last_movement INTEGER NOT NULL CHECK (last_movement >= 0),
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1) AND (NOT deleted OR on_hand = 0)),
  CHECK (status = CASE WHEN on_hand = 0 THEN 'sold' WHEN held OR reserved = on_hand THEN 'pending' ELSE 'available' END)
) STRICT;
CREATE INDEX petstore_pets_live ON petstore_pets (id) WHERE NOT deleted;
CREATE INDEX petstore_pets_status ON petstore_pets (status, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status ON petstore_pets (category_id, status, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_status_name ON petstore_pets (status, name, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status_name ON petstore_pets (category_id, status, name, id) WHERE NOT deleted;

-- The owner is who placed the order; nobody if that was the app itself.
CREATE TABLE petstore_orders (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'complete', 'cancelled')),
  pet_id INTEGER REFERENCES petstore_pets (id),
  quantity INTEGER CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT,
  version INTEGER NOT NULL CHECK (version >= 1),
  owner TEXT CHECK (owner <> ''),
  CHECK (state <> 'draft' OR pet_id IS NULL),
  CHECK (state NOT IN ('open', 'complete') OR (pet_id IS NOT NULL AND quantity IS NOT NULL)),
  CHECK (state <> 'complete' OR ship_date IS NOT NULL)
) STRICT;
CREATE INDEX petstore_orders_complete ON petstore_orders ((state = 'complete'), id) WHERE state <> 'cancelled';
CREATE INDEX petstore_orders_pet ON petstore_orders (pet_id, (state = 'complete'), id) WHERE state <> 'cancelled';
CREATE INDEX petstore_orders_owner ON petstore_orders (owner, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;
CREATE INDEX petstore_orders_owner_pet ON petstore_orders (owner, pet_id, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;

CREATE TABLE petstore_movements (
  pet_id INTEGER NOT NULL REFERENCES petstore_pets (id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  kind TEXT NOT NULL,
  delta_on_hand INTEGER NOT NULL,
  delta_reserved INTEGER NOT NULL,
  order_id INTEGER REFERENCES petstore_orders (id),
  actor TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (pet_id, seq),
  CHECK (CASE kind
    WHEN 'initial' THEN delta_on_hand >= 0 AND delta_reserved = 0
    WHEN 'set' THEN delta_reserved = 0
    WHEN 'held' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'unheld' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'reserved' THEN delta_on_hand = 0 AND delta_reserved >= 0
    WHEN 'unreserved' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'shipped' THEN delta_on_hand <= 0 AND delta_reserved = delta_on_hand
    WHEN 'cancelled' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'written_off' THEN delta_on_hand <= 0 AND delta_reserved = 0
    WHEN 'removed' THEN delta_on_hand <= 0 AND delta_reserved = 0
    ELSE FALSE
  END)
) STRICT, WITHOUT ROWID;${appendOnly("movements", "stock ledger")}

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
-- What is kept of events that were removed from the log. The row "log" has the last one that was removed; only events up to
-- it can be.
CREATE TABLE petstore_checkpoints (
  subject TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  state TEXT NOT NULL CHECK (json_type(state) = 'object')
) STRICT, WITHOUT ROWID;

CREATE TABLE petstore_messages (
  id TEXT NOT NULL PRIMARY KEY,
  message TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'delivered', 'failed')),
  created_at TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  fence INTEGER NOT NULL CHECK (fence >= attempts),
  lease_until TEXT CHECK (lease_until IS NULL OR (status = 'queued' AND attempts >= 1)),
  due_at TEXT CHECK (due_at IS NULL OR (status = 'queued' AND lease_until IS NULL)),
  finished_at TEXT CHECK ((finished_at IS NULL) = (status = 'queued')),
  last_error TEXT
    CHECK (CASE status WHEN 'delivered' THEN last_error IS NULL WHEN 'failed' THEN last_error IS NOT NULL ELSE TRUE END),
  -- Of the call that queued it last, as a traceparent.
  trace TEXT
) STRICT;
CREATE INDEX petstore_messages_status ON petstore_messages (status, id);
CREATE INDEX petstore_messages_due ON petstore_messages (coalesce(due_at, created_at), id)
  WHERE status = 'queued' AND lease_until IS NULL;
CREATE INDEX petstore_messages_leased ON petstore_messages (lease_until, id) WHERE lease_until IS NOT NULL;
CREATE INDEX petstore_messages_delivered ON petstore_messages (finished_at, id) WHERE status = 'delivered';

CREATE TABLE petstore_consumers (
  id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
  position INTEGER NOT NULL CHECK (position >= 0),
  fence INTEGER NOT NULL CHECK (fence >= 0),
  lease_until TEXT,
  holder TEXT CHECK ((holder IS NULL) = (lease_until IS NULL)),
  types TEXT CHECK (json_type(types) = 'array' AND json_array_length(types) > 0),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  retry_at TEXT CHECK ((retry_at IS NULL) = (attempts = 0)),
  failure TEXT CHECK (attempts = 0 OR failure IS NOT NULL),
  failed_at TEXT CHECK ((failed_at IS NULL) = (failure IS NULL)),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Events that a consumer has passed without handling them.
CREATE TABLE petstore_parked_events (
  consumer TEXT NOT NULL REFERENCES petstore_consumers (id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  attempts INTEGER NOT NULL CHECK (attempts >= 1),
  failure TEXT NOT NULL,
  parked_at TEXT NOT NULL,
  replay INTEGER NOT NULL CHECK (replay IN (0, 1)),
  PRIMARY KEY (consumer, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX petstore_parked_events_replays ON petstore_parked_events (consumer, seq) WHERE replay;

CREATE TABLE petstore_webhooks (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL CHECK (url <> ''),
  types TEXT CHECK (json_type(types) = 'array'),
  description TEXT,
  ordered INTEGER NOT NULL CHECK (ordered IN (0, 1)),
  concurrency INTEGER NOT NULL CHECK (concurrency BETWEEN 1 AND 100),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  disabled_reason TEXT CHECK (disabled_reason IN ('requested', 'gone', 'failing')),
  disabled_at TEXT,
  created_at TEXT NOT NULL,
  secret TEXT NOT NULL CHECK (secret LIKE 'whsec_%'),
  previous_secret TEXT CHECK (previous_secret LIKE 'whsec_%'),
  previous_until TEXT CHECK ((previous_until IS NULL) = (previous_secret IS NULL)),
  failing_since TEXT,
  route TEXT NOT NULL CHECK (json_type(route) = 'object'),
  version INTEGER NOT NULL CHECK (version >= 1),
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  CHECK (enabled = (disabled_reason IS NULL)),
  CHECK (enabled = (disabled_at IS NULL))
) STRICT;
CREATE TABLE petstore_deliveries (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL REFERENCES petstore_webhooks (id),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  created_at TEXT NOT NULL,
  next_attempt_at TEXT CHECK (next_attempt_at IS NULL OR status = 'pending'),
  last_attempt_at TEXT,
  failure TEXT,
  response_status INTEGER CHECK (response_status BETWEEN 100 AND 599),
  message TEXT,
  finished_at TEXT CHECK ((finished_at IS NULL) = (status = 'pending')),
  fence INTEGER NOT NULL CHECK (fence >= 0),
  lease_until TEXT CHECK (lease_until IS NULL OR status = 'pending'),
  CHECK (status <> 'delivered' OR failure IS NULL),
  CHECK (status <> 'failed' OR failure IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX petstore_deliveries_event ON petstore_deliveries (webhook_id, seq);
CREATE INDEX petstore_deliveries_status ON petstore_deliveries (webhook_id, status, id);
CREATE INDEX petstore_deliveries_due ON petstore_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX petstore_deliveries_subject ON petstore_deliveries (webhook_id, subject, id) WHERE status = 'pending';
CREATE INDEX petstore_deliveries_leased ON petstore_deliveries (webhook_id, lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE petstore_accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  name_key TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX petstore_accounts_name ON petstore_accounts (name_key);
CREATE TRIGGER petstore_accounts_logged AFTER INSERT ON petstore_accounts
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('accounts/' || NEW.id, ${accountState("NEW")}); END;
CREATE TRIGGER petstore_accounts_kept BEFORE UPDATE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account never changes'); END;
CREATE TRIGGER petstore_accounts_left BEFORE DELETE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account stays'); END;

CREATE TABLE petstore_api_keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES petstore_accounts (id),
  name TEXT NOT NULL CHECK (name <> ''),
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  previous_digest BLOB CHECK (length(previous_digest) = 32),
  previous_until TEXT CHECK ((previous_until IS NULL) = (previous_digest IS NULL)),
  revoked INTEGER NOT NULL CHECK (revoked IN (0, 1))
) STRICT;
CREATE INDEX petstore_api_keys_live ON petstore_api_keys (id) WHERE NOT revoked;
CREATE INDEX petstore_api_keys_admin ON petstore_api_keys (id) WHERE NOT revoked AND scopes LIKE '%"admin"%';
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

CREATE TABLE petstore_idempotency (
  account_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX petstore_idempotency_age ON petstore_idempotency (created_at);

-- How far the imports of files have come: a batch is written in the transaction of the rows that it counts.
CREATE TABLE petstore_imports (
  file TEXT NOT NULL CHECK (length(file) = 64),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  run INTEGER NOT NULL CHECK (run BETWEEN 1 AND seq),
  settings TEXT NOT NULL CHECK (json_type(settings) = 'object'),
  line INTEGER NOT NULL CHECK (line >= 0),
  imported INTEGER NOT NULL CHECK (imported >= 0),
  rejected INTEGER NOT NULL CHECK (rejected >= 0),
  categories INTEGER NOT NULL CHECK (categories >= 0),
  rejections TEXT NOT NULL CHECK (json_type(rejections) = 'array' AND json_array_length(rejections) <= rejected),
  finished INTEGER NOT NULL CHECK (finished IN (0, 1)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (file, seq)
) STRICT, WITHOUT ROWID;

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
${hostCalls}`
