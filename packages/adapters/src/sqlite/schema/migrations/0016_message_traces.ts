/** The trace context of the call that queued a message; null if it was not traced. */
export const messageTraces = `
ALTER TABLE petstore_messages ADD COLUMN trace TEXT;
DROP TRIGGER petstore_replay_insert_messages;
CREATE TRIGGER petstore_replay_insert_messages INSTEAD OF INSERT ON petstore_replay_messages WHEN NEW.write = 'insert messages'
  BEGIN INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, lease_until, due_at, finished_at, last_error, trace)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9, NEW.vals ->> 10); END;
DROP TRIGGER petstore_replay_update_messages_status;
CREATE TRIGGER petstore_replay_update_messages_status INSTEAD OF INSERT ON petstore_replay_messages WHEN NEW.write = 'update messages status'
  BEGIN UPDATE petstore_messages SET status = NEW.vals ->> 0, attempts = NEW.vals ->> 1, fence = NEW.vals ->> 2, lease_until = NEW.vals ->> 3, due_at = NEW.vals ->> 4, finished_at = NEW.vals ->> 5, last_error = NEW.vals ->> 6, trace = NEW.vals ->> 7
    WHERE id = NEW.vals ->> 8; END;
`
