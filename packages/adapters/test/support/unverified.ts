/** Changes of one value in a file that `verify` does not see, and why. */
export interface Unverified {
  /** Where, as `table.column` or `table`, without the prefix of the table. */
  readonly place: string
  readonly changes: ReadonlyArray<string>
  readonly reason: string
}

/** All of them: a test alters each column of each table in every way that its type allows. `docs/invariants.md` lists them too. */
export const unverified: ReadonlyArray<Unverified> = [
  {
    place: "events.data",
    changes: [
      ...[".name another text", ".categoryId another number", ".petId another number", ".quantity another number"],
      ...[".concurrency another number", ".ordered the opposite"]
    ],
    reason: "What a later event of the pet, order, category or webhook replaced is recorded nowhere else."
  },
  {
    place: "events.timestamp",
    changes: ["an earlier time"],
    reason:
      "Only the events of stock and messages have their time recorded elsewhere; the id only shows that the time is no later."
  },
  {
    place: "events.trace",
    changes: ["a text"],
    reason: "Only the event records the trace that it was written in."
  },
  {
    place: "messages.trace",
    changes: ["a text"],
    reason: "Only the message records the trace of the call that queued it last."
  },
  {
    place: "messages.fence",
    changes: ["another number"],
    reason: "Only the row of a message records how often it was claimed."
  },
  {
    place: "orders.owner",
    changes: ["another text", "another case", "a blank around it", "that of another row", "nothing"],
    reason: "No event has the owner of an order, and host applications choose the names of their users."
  },
  {
    place: "movements.actor",
    changes: ["another text", "another case", "a blank around it"],
    reason: "Host applications choose the names of their users, and nothing else records who it was."
  },
  {
    place: "movements.kind",
    changes: ["that of another row"],
    reason: "A count of 0 (`set`) and a write-off (`written_off`) change the stock in the same way."
  },
  {
    place: "movements.note",
    changes: ["a text", "another text", "another case", "a blank around it", "that of another row", "nothing"],
    reason: "Nothing else records what the person who adjusted the stock wrote."
  },
  {
    place: "api_keys.last_used_at",
    changes: ["a text", "that of another row"],
    reason: "The time is recorded at most once a minute, and nowhere else."
  },
  {
    place: "access_log.state",
    changes: ["another text"],
    reason: "It includes the former secret that a key had when the log began, which nothing else records."
  },
  {
    place: "idempotency",
    changes: ["a row that is gone"],
    reason: "Records are removed when they expire."
  },
  {
    place: "idempotency.account_id",
    changes: ["another number"],
    reason: "Host applications choose the numbers of their accounts, and nothing else records whose a key is."
  },
  {
    place: "idempotency.key",
    changes: ["another text", "another case"],
    reason: "Only the client knows which key it sent."
  },
  {
    place: "idempotency.fingerprint",
    changes: ["other bytes", "that of another row"],
    reason: "It is the digest of an input that is not stored."
  },
  {
    place: "idempotency.created_at",
    changes: ["an earlier time", "that of another row"],
    reason: "With an earlier time, the record expires sooner."
  },
  {
    place: "migrations.applied_at",
    changes: ["an earlier time", "a later time"],
    reason: "Nothing else records when a migration was applied."
  },
  {
    place: "imports",
    changes: ["a row that is gone"],
    reason: "Nothing else refers to the last batch of a file."
  },
  {
    place: "imports.finished",
    changes: ["another number"],
    reason: "Only the last batch records whether its run has ended; the rows of files are not stored."
  },
  {
    place: "imports.rejections",
    changes: ["another number", "another text"],
    reason: "The rows of files are not stored, so another line of the batch, or another reason, may be right."
  },
  {
    place: "imports.created_at",
    changes: ["an earlier time", "a later time", "that of another row"],
    reason: "Nothing else records when a batch was written."
  },
  {
    place: "consumers",
    changes: ["a row too many"],
    reason: "A consumer is registered without an event."
  },
  {
    place: "consumers.position",
    changes: ["another number"],
    reason: "Only the handler knows which events it has handled."
  },
  {
    place: "consumers.fence",
    changes: ["another number"],
    reason: "Nothing else counts the claims of a lease."
  },
  {
    place: "consumers.lease_until",
    changes: ["an earlier time", "a later time"],
    reason: "Only the process that holds the lease knows when it extended it."
  },
  {
    place: "consumers.holder",
    changes: ["another text", "another case", "a blank around it"],
    reason: "Only the process that holds the lease knows its own name."
  },
  {
    place: "consumers.types",
    changes: ["a member left out", "nothing"],
    reason: "Only the process that holds the lease knows which types it handles."
  },
  {
    place: "consumers.attempts",
    changes: ["another number"],
    reason: "Failed attempts are recorded nowhere else."
  },
  {
    place: "consumers.retry_at",
    changes: ["an earlier time", "a later time"],
    reason: "The delay before the next attempt is random."
  },
  {
    place: "consumers.failure",
    changes: ["no text", "another text", "another case", "a blank around it"],
    reason: "Handlers may fail with any message."
  },
  {
    place: "consumers.failed_at",
    changes: ["an earlier time", "a later time"],
    reason: "Nothing else records when a handler failed."
  },
  {
    place: "consumers.created_at",
    changes: ["an earlier time", "a later time", "that of another row"],
    reason: "Nothing else records when a consumer was registered."
  },
  {
    place: "parked_events",
    changes: ["a row that is gone", "a row too many"],
    reason: "Only the handler knows which events it has handled, and a parked event may be discarded."
  },
  {
    place: "parked_events.seq",
    changes: ["another number"],
    reason: "Nothing else records which event failed."
  },
  {
    place: "parked_events.attempts",
    changes: ["another number"],
    reason: "Failed attempts are recorded nowhere else."
  },
  {
    place: "parked_events.failure",
    changes: ["no text", "another text", "another case", "a blank around it", "that of another row"],
    reason: "Handlers may fail with any message."
  },
  {
    place: "parked_events.parked_at",
    changes: ["an earlier time", "a later time", "that of another row"],
    reason: "Nothing else records when an event was parked."
  },
  {
    place: "parked_events.replay",
    changes: ["another number"],
    reason: "An operator may replay any parked event."
  },
  {
    place: "write_check",
    changes: ["a row that is gone"],
    reason: "The next readiness check writes the row again."
  },
  {
    place: "write_check.checked_at",
    changes: ["an earlier time", "a later time", "no time", "no text"],
    reason: "It is written to test that writes work, and never read."
  },
  {
    place: "webhooks.url",
    changes: ["another text", "that of another row"],
    reason: "A URL may contain a token, so no event has it."
  },
  {
    place: "webhooks.secret",
    changes: ["another text", "that of another row"],
    reason: "No secret is recorded elsewhere."
  },
  {
    place: "webhooks.previous_secret",
    changes: ["another text"],
    reason: "No secret is recorded elsewhere."
  },
  {
    place: "webhooks.previous_until",
    changes: ["an earlier time", "a later time"],
    reason: "Rotations of secrets have no events."
  },
  {
    place: "webhooks.route",
    changes: [".after another number"],
    reason: "Deliveries may be made for some events more or fewer that the endpoint does not get."
  },
  {
    place: "deliveries",
    changes: ["a row that is gone"],
    reason: "An endpoint may get an event again that it missed while it was disabled."
  },
  {
    place: "deliveries.id",
    changes: ["another number"],
    reason: "Nothing refers to a delivery by its id."
  },
  {
    place: "deliveries.webhook_id",
    changes: ["another number"],
    reason: "An endpoint may get an event again that it missed while it was disabled."
  },
  {
    place: "deliveries.attempts",
    changes: ["another number"],
    reason: "Attempts are recorded nowhere else."
  },
  {
    place: "deliveries.created_at",
    changes: ["an earlier time", "a later time"],
    reason: "Deliveries are recorded nowhere else."
  },
  {
    place: "deliveries.next_attempt_at",
    changes: ["an earlier time", "a later time", "nothing"],
    reason: "The next attempt is chosen at random, and may wait for an earlier event."
  },
  {
    place: "deliveries.last_attempt_at",
    changes: ["a text", "that of another row"],
    reason: "Attempts are recorded nowhere else."
  },
  {
    place: "deliveries.response_status",
    changes: ["another number", "that of another row", "nothing"],
    reason: "Responses are recorded nowhere else."
  },
  {
    place: "deliveries.message",
    changes: ["another text", "another case", "a blank around it", "no text"],
    reason: "Responses are recorded nowhere else."
  },
  {
    place: "deliveries.fence",
    changes: ["another number", "that of another row"],
    reason: "Claims are recorded nowhere else."
  },
  {
    place: "deliveries.lease_until",
    changes: ["that of another row", "nothing"],
    reason: "Claims are recorded nowhere else."
  }
]
