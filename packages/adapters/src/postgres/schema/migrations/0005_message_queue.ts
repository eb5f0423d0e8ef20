// What workers need to deliver messages. A message of an older release has begun no attempt, and is due since it was queued;
// servers of that release can still queue messages.
export const messageQueue = `
ALTER TABLE petstore_messages
  ADD COLUMN attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN fence bigint NOT NULL DEFAULT 0,
  ADD COLUMN lease_until text COLLATE "C",
  ADD COLUMN due_at text COLLATE "C",
  ADD COLUMN finished_at text COLLATE "C",
  ADD COLUMN last_error text COLLATE "C",
  ADD CONSTRAINT @petstore_messages_claimed CHECK (fence >= attempts),
  ADD CONSTRAINT @petstore_messages_lease CHECK (lease_until IS NULL OR (status = 'queued' AND attempts >= 1)),
  ADD CONSTRAINT @petstore_messages_wait CHECK (due_at IS NULL OR (status = 'queued' AND lease_until IS NULL)),
  ADD CONSTRAINT @petstore_messages_end CHECK ((finished_at IS NULL) = (status = 'queued')),
  ADD CONSTRAINT @petstore_messages_error
    CHECK (CASE status WHEN 'delivered' THEN last_error IS NULL WHEN 'failed' THEN last_error IS NOT NULL ELSE TRUE END);
CREATE INDEX @petstore_messages_status ON petstore_messages (status, id);
CREATE INDEX @petstore_messages_due ON petstore_messages (coalesce(due_at, created_at), id)
  WHERE status = 'queued' AND lease_until IS NULL;
CREATE INDEX @petstore_messages_leased ON petstore_messages (lease_until, id) WHERE lease_until IS NOT NULL;
CREATE INDEX @petstore_messages_delivered ON petstore_messages (finished_at, id) WHERE status = 'delivered';
`
