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

/**
 * The SQL that creates the tables of release 1.0.0, their indexes, and the triggers that keep their logs. No foreign key is deferrable,
 * so that a COMMIT fails for I/O alone. Ids are never reused because deleted rows stay as tombstones.
 */
export const initial = `
CREATE TABLE petstore_accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_at TEXT NOT NULL,
  CHECK (name <> '')
) STRICT;
CREATE UNIQUE INDEX petstore_accounts_name ON petstore_accounts (name_key);

CREATE TABLE petstore_api_keys (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES petstore_accounts (id),
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used_at TEXT,
  digest BLOB NOT NULL,
  previous_digest BLOB,
  previous_until TEXT,
  revoked INTEGER NOT NULL,
  CHECK (revoked IN (0, 1)),
  CHECK (name <> ''),
  CHECK (json_type(scopes) = 'array'),
  CHECK (length(digest) = 32),
  CHECK (length(previous_digest) = 32),
  CHECK ((previous_until IS NULL) = (previous_digest IS NULL))
) STRICT;
CREATE INDEX petstore_api_keys_live ON petstore_api_keys (id) WHERE NOT revoked;
CREATE INDEX petstore_api_keys_admin ON petstore_api_keys (id) WHERE NOT revoked AND scopes LIKE '%"admin"%';

CREATE TABLE petstore_categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  CHECK (deleted IN (0, 1)),
  CHECK (name <> ''),
  CHECK (version >= 1)
) STRICT;
CREATE UNIQUE INDEX petstore_categories_name ON petstore_categories (name_key) WHERE NOT deleted;
CREATE INDEX petstore_categories_live ON petstore_categories (id) WHERE NOT deleted;

CREATE TABLE petstore_pets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL REFERENCES petstore_categories (id),
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  on_hand INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  held INTEGER NOT NULL,
  stock_version INTEGER NOT NULL,
  last_movement INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  CHECK (held IN (0, 1)),
  CHECK (deleted IN (0, 1)),
  CHECK (name <> ''),
  CHECK (status = CASE WHEN on_hand = 0 THEN 'sold' WHEN held OR reserved = on_hand THEN 'pending' ELSE 'available' END),
  CHECK (version >= 1),
  CHECK (on_hand BETWEEN 0 AND 2147483647),
  CHECK (reserved BETWEEN 0 AND on_hand),
  CHECK (NOT held OR on_hand > 0),
  CHECK (stock_version >= 1),
  CHECK (last_movement >= 0),
  CHECK (NOT deleted OR on_hand = 0)
) STRICT;
CREATE INDEX petstore_pets_live ON petstore_pets (id) WHERE NOT deleted;
CREATE INDEX petstore_pets_status ON petstore_pets (status, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status ON petstore_pets (category_id, status, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_status_name ON petstore_pets (status, name, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status_name ON petstore_pets (category_id, status, name, id) WHERE NOT deleted;

CREATE TABLE petstore_orders (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  pet_id INTEGER REFERENCES petstore_pets (id),
  quantity INTEGER,
  ship_date TEXT,
  expires_at TEXT,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  owner TEXT,
  CHECK (state = 'draft' OR state = 'open' OR state = 'complete' OR state = 'cancelled' OR state = 'expired'),
  CHECK (quantity BETWEEN 1 AND 1000000),
  CHECK (version >= 1),
  CHECK (owner <> ''),
  CHECK (state <> 'draft' OR pet_id IS NULL),
  CHECK (state <> 'draft' OR expires_at IS NULL),
  CHECK (state <> 'open' OR pet_id IS NOT NULL),
  CHECK (state <> 'open' OR quantity IS NOT NULL),
  CHECK (state <> 'complete' OR expires_at IS NULL),
  CHECK (state <> 'complete' OR pet_id IS NOT NULL),
  CHECK (state <> 'complete' OR quantity IS NOT NULL),
  CHECK (state <> 'complete' OR ship_date IS NOT NULL),
  CHECK (state <> 'cancelled' OR expires_at IS NULL),
  CHECK (state <> 'expired' OR pet_id IS NOT NULL),
  CHECK (state <> 'expired' OR quantity IS NOT NULL),
  CHECK (state <> 'expired' OR expires_at IS NOT NULL)
) STRICT;
CREATE INDEX petstore_orders_state ON petstore_orders (state, id) WHERE state <> 'cancelled' AND state <> 'expired';
CREATE INDEX petstore_orders_pet ON petstore_orders (pet_id, state, id) WHERE state <> 'cancelled' AND state <> 'expired';
CREATE INDEX petstore_orders_owner ON petstore_orders (owner, state, id) WHERE state <> 'cancelled' AND state <> 'expired' AND owner IS NOT NULL;
CREATE INDEX petstore_orders_owner_pet ON petstore_orders (owner, pet_id, state, id) WHERE state <> 'cancelled' AND state <> 'expired' AND owner IS NOT NULL;
CREATE INDEX petstore_orders_expiry ON petstore_orders (expires_at, id) WHERE state = 'open' AND expires_at IS NOT NULL;
CREATE INDEX petstore_orders_pet_expiry ON petstore_orders (pet_id, expires_at, id) WHERE state = 'open' AND expires_at IS NOT NULL;

CREATE TABLE petstore_records (
  resource TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  id INTEGER NOT NULL,
  external_id TEXT,
  metadata TEXT NOT NULL,
  changes INTEGER NOT NULL,
  owner TEXT,
  CHECK (resource = kind || '/' || id),
  CHECK (kind = 'pets' OR kind = 'categories' OR kind = 'orders'),
  CHECK (external_id <> ''),
  CHECK (json_type(metadata) = 'object'),
  CHECK (changes >= 1)
) STRICT, WITHOUT ROWID;
CREATE INDEX petstore_records_kind ON petstore_records (kind, id);
CREATE UNIQUE INDEX petstore_records_external_id ON petstore_records (kind, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE petstore_movements (
  pet_id INTEGER NOT NULL REFERENCES petstore_pets (id),
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  delta_on_hand INTEGER NOT NULL,
  delta_reserved INTEGER NOT NULL,
  order_id INTEGER REFERENCES petstore_orders (id),
  actor TEXT NOT NULL,
  at TEXT NOT NULL,
  note TEXT,
  reference TEXT,
  occurred_at TEXT,
  PRIMARY KEY (pet_id, seq),
  CHECK (seq >= 1),
  CHECK (CASE kind
    WHEN 'initial' THEN delta_on_hand >= 0 AND delta_reserved = 0
    WHEN 'set' THEN delta_reserved = 0
    WHEN 'held' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'unheld' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'reserved' THEN delta_on_hand = 0 AND delta_reserved >= 0
    WHEN 'unreserved' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'shipped' THEN delta_on_hand <= 0 AND delta_reserved = delta_on_hand
    WHEN 'cancelled' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'expired' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'written_off' THEN delta_on_hand <= 0 AND delta_reserved = 0
    WHEN 'removed' THEN delta_on_hand <= 0 AND delta_reserved = 0
    WHEN 'received' THEN delta_reserved = 0
    WHEN 'damaged' THEN delta_reserved = 0
    WHEN 'returned' THEN delta_reserved = 0
    WHEN 'correction' THEN delta_reserved = 0
    ELSE FALSE
  END),
  CHECK (note <> ''),
  CHECK (reference <> ''),
  CHECK (note IS NULL AND reference IS NULL AND occurred_at IS NULL OR kind = 'received' OR kind = 'damaged' OR kind = 'returned' OR kind = 'correction')
) STRICT, WITHOUT ROWID;

CREATE TABLE petstore_checkpoints (
  subject TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  CHECK (seq >= 1),
  CHECK (json_type(state) = 'object')
) STRICT, WITHOUT ROWID;

CREATE TABLE petstore_messages (
  id TEXT NOT NULL PRIMARY KEY,
  message TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until TEXT,
  due_at TEXT,
  finished_at TEXT,
  last_error TEXT,
  trace TEXT,
  CHECK (status = 'queued' OR status = 'delivered' OR status = 'failed'),
  CHECK (attempts >= 0),
  CHECK (fence >= attempts),
  CHECK (lease_until IS NULL OR (status = 'queued' AND attempts >= 1)),
  CHECK (due_at IS NULL OR (status = 'queued' AND lease_until IS NULL)),
  CHECK ((finished_at IS NULL) = (status = 'queued')),
  CHECK (CASE status WHEN 'delivered' THEN last_error IS NULL WHEN 'failed' THEN last_error IS NOT NULL ELSE TRUE END)
) STRICT;
CREATE INDEX petstore_messages_status ON petstore_messages (status, id);
CREATE INDEX petstore_messages_due ON petstore_messages (coalesce(due_at, created_at), id) WHERE status = 'queued' AND lease_until IS NULL;
CREATE INDEX petstore_messages_leased ON petstore_messages (lease_until, id) WHERE lease_until IS NOT NULL;
CREATE INDEX petstore_messages_delivered ON petstore_messages (finished_at, id) WHERE status = 'delivered';

CREATE TABLE petstore_idempotency (
  account_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (account_id, key),
  CHECK (length(fingerprint) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX petstore_idempotency_age ON petstore_idempotency (created_at);

CREATE TABLE petstore_consumers (
  id TEXT NOT NULL PRIMARY KEY,
  position INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until TEXT,
  holder TEXT,
  types TEXT,
  attempts INTEGER NOT NULL,
  retry_at TEXT,
  failure TEXT,
  failed_at TEXT,
  created_at TEXT NOT NULL,
  CHECK (id <> ''),
  CHECK (position >= 0),
  CHECK (fence >= 0),
  CHECK ((holder IS NULL) = (lease_until IS NULL)),
  CHECK (json_type(types) = 'array' AND json_array_length(types) > 0),
  CHECK (attempts >= 0),
  CHECK ((retry_at IS NULL) = (attempts = 0)),
  CHECK (attempts = 0 OR failure IS NOT NULL),
  CHECK ((failed_at IS NULL) = (failure IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE petstore_parked_events (
  consumer TEXT NOT NULL REFERENCES petstore_consumers (id),
  seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failure TEXT NOT NULL,
  parked_at TEXT NOT NULL,
  replay INTEGER NOT NULL,
  PRIMARY KEY (consumer, seq),
  CHECK (replay IN (0, 1)),
  CHECK (seq >= 1),
  CHECK (attempts >= 1)
) STRICT, WITHOUT ROWID;
CREATE INDEX petstore_parked_events_replays ON petstore_parked_events (consumer, seq) WHERE replay;

CREATE TABLE petstore_webhooks (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  ordered INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  disabled_at TEXT,
  created_at TEXT NOT NULL,
  version INTEGER NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until TEXT,
  failing_since TEXT,
  route TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  CHECK (ordered IN (0, 1)),
  CHECK (enabled IN (0, 1)),
  CHECK (deleted IN (0, 1)),
  CHECK (url <> ''),
  CHECK (json_type(types) = 'array'),
  CHECK (concurrency BETWEEN 1 AND 100),
  CHECK (disabled_reason = 'requested' OR disabled_reason = 'gone' OR disabled_reason = 'failing'),
  CHECK (enabled = (disabled_reason IS NULL)),
  CHECK (enabled = (disabled_at IS NULL)),
  CHECK (secret LIKE 'whsec_%'),
  CHECK (previous_secret LIKE 'whsec_%'),
  CHECK ((previous_until IS NULL) = (previous_secret IS NULL)),
  CHECK (json_type(route) = 'object'),
  CHECK (version >= 1)
) STRICT;

CREATE TABLE petstore_deliveries (
  id INTEGER PRIMARY KEY,
  webhook_id INTEGER NOT NULL REFERENCES petstore_webhooks (id),
  seq INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  next_attempt_at TEXT,
  last_attempt_at TEXT,
  failure TEXT,
  response_status INTEGER,
  message TEXT,
  finished_at TEXT,
  fence INTEGER NOT NULL,
  lease_until TEXT,
  CHECK (seq >= 1),
  CHECK (status = 'pending' OR status = 'delivered' OR status = 'failed'),
  CHECK (attempts >= 0),
  CHECK (next_attempt_at IS NULL OR status = 'pending'),
  CHECK (response_status BETWEEN 100 AND 599),
  CHECK ((finished_at IS NULL) = (status = 'pending')),
  CHECK (fence >= 0),
  CHECK (lease_until IS NULL OR status = 'pending'),
  CHECK (status <> 'delivered' OR failure IS NULL),
  CHECK (status <> 'failed' OR failure IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX petstore_deliveries_event ON petstore_deliveries (webhook_id, seq);
CREATE INDEX petstore_deliveries_status ON petstore_deliveries (webhook_id, status, id);
CREATE INDEX petstore_deliveries_due ON petstore_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending' AND next_attempt_at IS NOT NULL;
CREATE INDEX petstore_deliveries_subject ON petstore_deliveries (webhook_id, subject, id) WHERE status = 'pending';
CREATE INDEX petstore_deliveries_leased ON petstore_deliveries (webhook_id, lease_until) WHERE lease_until IS NOT NULL;${appendOnly("movements", "stock ledger")}

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
