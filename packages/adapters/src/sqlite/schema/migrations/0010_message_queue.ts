// What workers need to deliver messages. A message of an older release has begun no attempt, and is due since it was queued.
export const messageQueue = `
ALTER TABLE petstore_messages ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0);
ALTER TABLE petstore_messages ADD COLUMN fence INTEGER NOT NULL DEFAULT 0 CHECK (fence >= attempts);
ALTER TABLE petstore_messages ADD COLUMN lease_until TEXT
  CHECK (lease_until IS NULL OR (status = 'queued' AND attempts >= 1));
ALTER TABLE petstore_messages ADD COLUMN due_at TEXT
  CHECK (due_at IS NULL OR (status = 'queued' AND lease_until IS NULL));
ALTER TABLE petstore_messages ADD COLUMN finished_at TEXT CHECK ((finished_at IS NULL) = (status = 'queued'));
ALTER TABLE petstore_messages ADD COLUMN last_error TEXT
  CHECK (CASE status WHEN 'delivered' THEN last_error IS NULL WHEN 'failed' THEN last_error IS NOT NULL ELSE TRUE END);
CREATE INDEX petstore_messages_status ON petstore_messages (status, id);
CREATE INDEX petstore_messages_due ON petstore_messages (coalesce(due_at, created_at), id)
  WHERE status = 'queued' AND lease_until IS NULL;
CREATE INDEX petstore_messages_leased ON petstore_messages (lease_until, id) WHERE lease_until IS NOT NULL;
CREATE INDEX petstore_messages_delivered ON petstore_messages (finished_at, id) WHERE status = 'delivered';

DROP TRIGGER petstore_replay_insert_messages;
CREATE TRIGGER petstore_replay_insert_messages INSTEAD OF INSERT ON petstore_replay_messages WHEN NEW.write = 'insert messages'
  BEGIN INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, lease_until, due_at, finished_at, last_error)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9); END;
CREATE TRIGGER petstore_replay_update_messages_status INSTEAD OF INSERT ON petstore_replay_messages WHEN NEW.write = 'update messages status'
  BEGIN UPDATE petstore_messages SET status = NEW.vals ->> 0, attempts = NEW.vals ->> 1, fence = NEW.vals ->> 2, lease_until = NEW.vals ->> 3, due_at = NEW.vals ->> 4, finished_at = NEW.vals ->> 5, last_error = NEW.vals ->> 6
    WHERE id = NEW.vals ->> 7; END;
`
