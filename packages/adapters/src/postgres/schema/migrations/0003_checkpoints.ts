// What is kept of events that were removed from the log. The row `log` has the last one that was removed; only events up to it
// can be.
export const checkpoints = `
CREATE TABLE petstore_checkpoints (
  subject text COLLATE "C" NOT NULL PRIMARY KEY,
  seq bigint NOT NULL CHECK (seq >= 1),
  state text COLLATE "C" NOT NULL CHECK (json_typeof(state::json) = 'object')
) WITH (fillfactor = 80);
CREATE FUNCTION petstore_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.seq > coalesce((SELECT seq FROM petstore_checkpoints WHERE subject = 'log'), 0) THEN
      RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
  END $$;
DROP TRIGGER @petstore_events_kept ON petstore_events;
CREATE TRIGGER @petstore_events_kept BEFORE UPDATE ON petstore_events
  FOR EACH ROW EXECUTE FUNCTION petstore_reject('the event log is append-only');
CREATE TRIGGER @petstore_events_trimmed BEFORE DELETE ON petstore_events
  FOR EACH ROW EXECUTE FUNCTION petstore_keep_event();
`
