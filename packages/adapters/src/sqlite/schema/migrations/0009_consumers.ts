// The consumers of events by their names, and the events that they have passed without handling them.
export const consumers = `
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
ALTER TABLE petstore_host_calls ADD COLUMN consumers TEXT CHECK (json_type(consumers) = 'array');
CREATE VIEW petstore_replay_consumers (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_consumers AFTER UPDATE OF consumers ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_consumers (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.consumers) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_consumers INSTEAD OF INSERT ON petstore_replay_consumers WHEN NEW.write = 'insert consumers'
  BEGIN INSERT INTO petstore_consumers (id, position, fence, lease_until, holder, types, attempts, retry_at, failure, failed_at, created_at)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9, NEW.vals ->> 10); END;
CREATE TRIGGER petstore_replay_update_consumers_position INSTEAD OF INSERT ON petstore_replay_consumers WHEN NEW.write = 'update consumers position'
  BEGIN UPDATE petstore_consumers SET position = NEW.vals ->> 0, fence = NEW.vals ->> 1, lease_until = NEW.vals ->> 2, holder = NEW.vals ->> 3, types = NEW.vals ->> 4, attempts = NEW.vals ->> 5, retry_at = NEW.vals ->> 6, failure = NEW.vals ->> 7, failed_at = NEW.vals ->> 8
    WHERE id = NEW.vals ->> 9; END;
CREATE TRIGGER petstore_replay_delete_consumers INSTEAD OF INSERT ON petstore_replay_consumers WHEN NEW.write = 'delete consumers'
  BEGIN DELETE FROM petstore_consumers WHERE id = NEW.vals ->> 0; END;
ALTER TABLE petstore_host_calls ADD COLUMN parked_events TEXT CHECK (json_type(parked_events) = 'array');
CREATE VIEW petstore_replay_parked_events (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_parked_events AFTER UPDATE OF parked_events ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_parked_events (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.parked_events) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_parked_events INSTEAD OF INSERT ON petstore_replay_parked_events WHEN NEW.write = 'insert parked_events'
  BEGIN INSERT INTO petstore_parked_events (consumer, seq, attempts, failure, parked_at, replay)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5) ON CONFLICT (consumer, seq) DO UPDATE SET attempts = excluded.attempts, failure = excluded.failure,
    parked_at = excluded.parked_at, replay = excluded.replay; END;
CREATE TRIGGER petstore_replay_delete_parked_events INSTEAD OF INSERT ON petstore_replay_parked_events WHEN NEW.write = 'delete parked_events'
  BEGIN DELETE FROM petstore_parked_events WHERE consumer = NEW.vals ->> 0 AND seq = NEW.vals ->> 1; END;
`
