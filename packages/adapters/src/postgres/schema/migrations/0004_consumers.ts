/** The consumers of events by their names, and the events that they have passed without handling them. */
const definitions = `
CREATE TABLE petstore_consumers (
  id text NOT NULL PRIMARY KEY CHECK (id <> ''),
  position bigint NOT NULL CHECK (position >= 0),
  fence bigint NOT NULL CHECK (fence >= 0),
  lease_until text,
  holder text,
  types text CHECK (json_typeof(types::json) = 'array' AND json_array_length(types::json) > 0),
  attempts bigint NOT NULL CHECK (attempts >= 0),
  retry_at text,
  failure text,
  failed_at text,
  created_at text NOT NULL,
  CHECK ((holder IS NULL) = (lease_until IS NULL)),
  CHECK ((retry_at IS NULL) = (attempts = 0)),
  CHECK (attempts = 0 OR failure IS NOT NULL),
  CHECK ((failed_at IS NULL) = (failure IS NULL))
) WITH (fillfactor = 50);

CREATE TABLE petstore_parked_events (
  consumer text NOT NULL REFERENCES petstore_consumers (id),
  seq bigint NOT NULL CHECK (seq >= 1),
  attempts bigint NOT NULL CHECK (attempts >= 1),
  failure text NOT NULL,
  parked_at text NOT NULL,
  replay boolean NOT NULL,
  PRIMARY KEY (consumer, seq)
);
CREATE INDEX @petstore_parked_events_replays ON petstore_parked_events (consumer, seq) WHERE replay;
`

export const consumers = definitions.replace(/^( +\w+ text)\b/gm, '$1 COLLATE "C"')
