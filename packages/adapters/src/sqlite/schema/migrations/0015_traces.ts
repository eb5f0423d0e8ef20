/** The trace context of the call that wrote an event; null if it was not traced. */
export const traces = `
ALTER TABLE petstore_events ADD COLUMN trace TEXT;
DROP TRIGGER petstore_replay_insert_events;
CREATE TRIGGER petstore_replay_insert_events INSTEAD OF INSERT ON petstore_replay_events WHEN NEW.write = 'insert events'
  BEGIN INSERT INTO petstore_events (id, type, subject, timestamp, data, trace)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5); END;
`
