// What is kept of events that were removed from the log. The row `log` has the last one that was removed; only events up to it
// can be.
export const checkpoints = `
CREATE TABLE petstore_checkpoints (
  subject TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  state TEXT NOT NULL CHECK (json_type(state) = 'object')
) STRICT, WITHOUT ROWID;
DROP TRIGGER petstore_events_left;
CREATE TRIGGER petstore_events_left BEFORE DELETE ON petstore_events
  WHEN OLD.seq > coalesce((SELECT seq FROM petstore_checkpoints WHERE subject = 'log'), 0)
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
`
