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
    changes: [".name another text", ".categoryId another number"],
    reason: "A name or category that a later event of the pet or category replaced stands in the log alone."
  },
  {
    place: "events.id",
    changes: ["another text"],
    reason: "Another id that an event of this time can have: nothing refers to an event by its id."
  },
  {
    place: "events.timestamp",
    changes: ["an earlier time", "that of another row"],
    reason:
      "The time of an event that tells of no stock and no message stands there alone; its id only says that it is no later."
  },
  {
    place: "movements.actor",
    changes: ["another text", "another case", "a blank around it"],
    reason: "Hosts choose the names of their users, and nothing else tells who it was."
  },
  {
    place: "movements.kind",
    changes: ["that of another row"],
    reason: "A count of 0 (`set`) and a write-off (`written_off`) do the same to the stock."
  },
  {
    place: "api_keys.last_used_at",
    changes: ["a text", "that of another row"],
    reason: "Another time: it is noted at most once a minute, and nowhere else."
  },
  {
    place: "access_log.state",
    changes: ["another text"],
    reason: "The former secret that a key had when the log began to tell of it."
  },
  {
    place: "idempotency",
    changes: ["a row that is gone"],
    reason: "Records are removed when they expire."
  },
  {
    place: "idempotency.account_id",
    changes: ["another number"],
    reason: "Hosts choose the numbers of their accounts, and nothing else tells whose a record is."
  },
  {
    place: "idempotency.key",
    changes: ["another text", "another case"],
    reason: "Another key that a client can send: only the client knows which it sent."
  },
  {
    place: "idempotency.fingerprint",
    changes: ["other bytes", "that of another row"],
    reason: "It is the digest of an input that is not kept."
  },
  {
    place: "idempotency.created_at",
    changes: ["an earlier time", "that of another row"],
    reason: "An earlier time: the record expires sooner."
  },
  {
    place: "migrations.applied_at",
    changes: ["an earlier time", "a later time", "that of another row"],
    reason: "Another time: nothing else tells when a migration was applied."
  },
  {
    place: "imports",
    changes: ["a row that is gone"],
    reason: "The last batch of a file: nothing else tells of it."
  },
  {
    place: "imports.finished",
    changes: ["another number"],
    reason: "Whether the last batch of a file ends its run: rows of files are not kept."
  },
  {
    place: "imports.rejections",
    changes: ["another number", "another text"],
    reason: "Another line of its batch, or another reason: rows of files are not kept."
  },
  {
    place: "imports.created_at",
    changes: ["an earlier time", "a later time", "that of another row"],
    reason: "Another time: nothing else tells when a batch was written."
  },
  {
    place: "write_check",
    changes: ["a row that is gone"],
    reason: "A check for readiness writes the row again."
  },
  {
    place: "write_check.checked_at",
    changes: ["an earlier time", "a later time", "no time", "no text"],
    reason: "It is written to find out whether it can be, and never read."
  }
]
