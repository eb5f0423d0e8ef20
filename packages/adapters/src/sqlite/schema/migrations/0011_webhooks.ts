/** Endpoints of webhooks, and what is delivered to them. */
export const webhooks = `
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
  CHECK (status <> 'failed' OR failure IS NOT NULL),
  UNIQUE (webhook_id, seq)
) STRICT;
CREATE INDEX petstore_deliveries_status ON petstore_deliveries (webhook_id, status, id);
CREATE INDEX petstore_deliveries_due ON petstore_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX petstore_deliveries_subject ON petstore_deliveries (webhook_id, subject, id) WHERE status = 'pending';
CREATE INDEX petstore_deliveries_leased ON petstore_deliveries (webhook_id, lease_until) WHERE lease_until IS NOT NULL;
ALTER TABLE petstore_host_calls ADD COLUMN webhooks TEXT CHECK (json_type(webhooks) = 'array');
CREATE VIEW petstore_replay_webhooks (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_webhooks AFTER UPDATE OF webhooks ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_webhooks (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.webhooks) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_webhooks INSTEAD OF INSERT ON petstore_replay_webhooks WHEN NEW.write = 'insert webhooks'
  BEGIN INSERT INTO petstore_webhooks (id, url, types, description, ordered, concurrency, enabled, disabled_reason, disabled_at, created_at, secret, previous_secret, previous_until, failing_since, route, version, deleted)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9, NEW.vals ->> 10, NEW.vals ->> 11, NEW.vals ->> 12, NEW.vals ->> 13, NEW.vals ->> 14, NEW.vals ->> 15); END;
CREATE TRIGGER petstore_replay_update_webhooks_url INSTEAD OF INSERT ON petstore_replay_webhooks WHEN NEW.write = 'update webhooks url'
  BEGIN UPDATE petstore_webhooks SET url = NEW.vals ->> 0, types = NEW.vals ->> 1, description = NEW.vals ->> 2, ordered = NEW.vals ->> 3, concurrency = NEW.vals ->> 4, enabled = NEW.vals ->> 5, disabled_reason = NEW.vals ->> 6, disabled_at = NEW.vals ->> 7, created_at = NEW.vals ->> 8, secret = NEW.vals ->> 9, previous_secret = NEW.vals ->> 10, previous_until = NEW.vals ->> 11, failing_since = NEW.vals ->> 12, route = NEW.vals ->> 13, version = NEW.vals ->> 14, deleted = NEW.vals ->> 15
    WHERE id = NEW.vals ->> 16; END;
ALTER TABLE petstore_host_calls ADD COLUMN deliveries TEXT CHECK (json_type(deliveries) = 'array');
CREATE VIEW petstore_replay_deliveries (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_deliveries AFTER UPDATE OF deliveries ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_deliveries (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.deliveries) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_deliveries INSTEAD OF INSERT ON petstore_replay_deliveries WHEN NEW.write = 'insert deliveries'
  BEGIN INSERT INTO petstore_deliveries (id, webhook_id, seq, event_id, type, subject, status, attempts, created_at, next_attempt_at, fence)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9); END;
CREATE TRIGGER petstore_replay_update_deliveries_status INSTEAD OF INSERT ON petstore_replay_deliveries WHEN NEW.write = 'update deliveries status'
  BEGIN UPDATE petstore_deliveries SET status = NEW.vals ->> 0, attempts = NEW.vals ->> 1, next_attempt_at = NEW.vals ->> 2, last_attempt_at = NEW.vals ->> 3, failure = NEW.vals ->> 4, response_status = NEW.vals ->> 5, message = NEW.vals ->> 6, finished_at = NEW.vals ->> 7, fence = NEW.vals ->> 8, lease_until = NEW.vals ->> 9
    WHERE id = NEW.vals ->> 10; END;
`
