// CHECK constraints stand behind the rules of the domain: every invariant that one row can show. No foreign key is
// deferrable, so that a COMMIT fails for I/O alone. Ids are never reused because deleted rows stay as tombstones.
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
CREATE INDEX petstore_pets_category ON petstore_pets (category_id, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status ON petstore_pets (category_id, status, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_name ON petstore_pets (name, id) WHERE NOT deleted;

CREATE TABLE petstore_orders (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'complete', 'cancelled')),
  pet_id INTEGER REFERENCES petstore_pets (id),
  quantity INTEGER CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date TEXT,
  version INTEGER NOT NULL CHECK (version >= 1),
  CHECK (state <> 'draft' OR pet_id IS NULL),
  CHECK (state NOT IN ('open', 'complete') OR (pet_id IS NOT NULL AND quantity IS NOT NULL)),
  CHECK (state <> 'complete' OR ship_date IS NOT NULL)
) STRICT;
CREATE INDEX petstore_orders_complete ON petstore_orders ((state = 'complete'), id) WHERE state <> 'cancelled';
CREATE INDEX petstore_orders_pet ON petstore_orders (pet_id, (state = 'complete'), id) WHERE state <> 'cancelled';

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
) STRICT, WITHOUT ROWID;
CREATE TRIGGER petstore_movements_kept BEFORE UPDATE ON petstore_movements
  BEGIN SELECT RAISE(ABORT, 'the stock ledger is append-only'); END;
CREATE TRIGGER petstore_movements_left BEFORE DELETE ON petstore_movements
  BEGIN SELECT RAISE(ABORT, 'the stock ledger is append-only'); END;

CREATE TABLE petstore_events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE TRIGGER petstore_events_kept BEFORE UPDATE ON petstore_events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER petstore_events_left BEFORE DELETE ON petstore_events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

CREATE TABLE petstore_messages (
  id TEXT NOT NULL PRIMARY KEY,
  message TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'delivered', 'failed')),
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE petstore_accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name <> ''),
  name_key TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT;

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
`
