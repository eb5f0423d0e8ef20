interface Write {
  /** The verb, the table, and the first column of an update, by which updates of a table differ. */
  readonly name: string
  readonly sql: string
}

/** Columns of bytes, which JSON has in hexadecimal. */
const bytes: ReadonlyArray<string> = ["fingerprint", "digest", "previous_digest"]

const valuesOf = (columns: string): ReadonlyArray<string> =>
  columns.split(", ").map((column, index) => {
    const value = `NEW.vals ->> ${index}`
    return bytes.includes(column) ? `unhex(${value})` : value
  })

const assignments = (columns: string, separator: string): string => {
  const values = valuesOf(columns)
  return columns
    .split(", ")
    .map((column, index) => `${column} = ${values[index]}`)
    .join(separator)
}

const insert = (table: string, columns: string, onConflict = ""): Write => ({
  name: `insert ${table}`,
  sql: `INSERT INTO petstore_${table} (${columns})
    VALUES (${valuesOf(columns).join(", ")})${onConflict}`
})

/** Inserts a row with the id that the call has determined. */
const insertWithId = (table: string, columns: string): Write => ({
  name: `insert ${table}`,
  sql: `INSERT INTO petstore_${table} (id, ${columns})
    VALUES (${["NEW.id", ...valuesOf(columns)].join(", ")})`
})

const update = (table: string, columns: string): Write => ({
  name: `update ${table} ${columns.split(", ")[0]}`,
  sql: `UPDATE petstore_${table} SET ${assignments(columns, ", ")}
    WHERE id = NEW.vals ->> ${columns.split(", ").length}`
})

const remove = (table: string, key: string): Write => ({
  name: `delete ${table}`,
  sql: `DELETE FROM petstore_${table} WHERE ${assignments(key, " AND ")}`
})

const category = "name, name_key, description, version, deleted"
const stock = "on_hand, reserved, held, stock_version, last_movement"
const pet = `status, version, ${stock}, name, category_id, deleted`
const order = "state, pet_id, quantity, ship_date, version"
const progress = "status, attempts, fence, lease_until, due_at, finished_at, last_error"
const consumer = "position, fence, lease_until, holder, types, attempts, retry_at, failure, failed_at"
const webhook =
  "url, types, description, ordered, concurrency, enabled, disabled_reason, disabled_at, created_at, secret, previous_secret, previous_until, failing_since, route, version, deleted"
const apiKey =
  "account_id, name, scopes, created_at, expires_at, last_used_at, digest, previous_digest, previous_until, revoked"

/** How the deferred writes of a call are replayed, by table. */
const writes: Readonly<Record<string, ReadonlyArray<Write>>> = {
  categories: [insertWithId("categories", category), update("categories", category)],
  pets: [insertWithId("pets", pet), update("pets", pet), update("pets", stock)],
  orders: [insertWithId("orders", `${order}, owner`), update("orders", order)],
  movements: [insert("movements", "pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at")],
  events: [insert("events", "id, type, subject, timestamp, data, trace")],
  messages: [
    insert(
      "messages",
      "id, message, status, created_at, attempts, fence, lease_until, due_at, finished_at, last_error"
    ),
    update("messages", progress)
  ],
  consumers: [
    insert("consumers", `id, ${consumer}, created_at`),
    update("consumers", consumer),
    remove("consumers", "id")
  ],
  parked_events: [
    insert(
      "parked_events",
      "consumer, seq, attempts, failure, parked_at, replay",
      ` ON CONFLICT (consumer, seq) DO UPDATE SET attempts = excluded.attempts, failure = excluded.failure,
    parked_at = excluded.parked_at, replay = excluded.replay`
    ),
    remove("parked_events", "consumer, seq")
  ],
  webhooks: [insertWithId("webhooks", webhook), update("webhooks", webhook)],
  deliveries: [
    insertWithId(
      "deliveries",
      "webhook_id, seq, event_id, type, subject, status, attempts, created_at, next_attempt_at, fence"
    ),
    update(
      "deliveries",
      "status, attempts, next_attempt_at, last_attempt_at, failure, response_status, message, finished_at, fence, lease_until"
    )
  ],
  accounts: [insertWithId("accounts", "name, name_key, created_at")],
  api_keys: [insertWithId("api_keys", apiKey), update("api_keys", apiKey), update("api_keys", "last_used_at")],
  idempotency: [
    insert(
      "idempotency",
      "account_id, key, operation, fingerprint, answer, created_at",
      ` ON CONFLICT (account_id, key) DO UPDATE SET operation = excluded.operation,
    fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`
    ),
    remove("idempotency", "account_id, key")
  ],
  imports: [
    insert(
      "imports",
      "file, seq, run, settings, line, imported, rejected, categories, rejections, finished, created_at"
    )
  ]
}

const replay = ({ name, sql }: Write, table: string): string => `
CREATE TRIGGER petstore_replay_${name.replaceAll(" ", "_")} INSTEAD OF INSERT ON petstore_replay_${table} WHEN NEW.write = '${name}'
  BEGIN ${sql}; END;`

// SQLite runs the newest trigger of a change first: a table before those that refer to it.
const replays = Object.entries(writes)
  .reverse()
  .map(
    ([table, all]) => `
CREATE VIEW petstore_replay_${table} (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_${table} AFTER UPDATE OF ${table} ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_${table} (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.${table}) ORDER BY key; END;${all.map((write) => replay(write, table)).join("")}
`
  )

const columns = Object.keys(writes).map((table) => `${table} TEXT CHECK (json_type(${table}) = 'array')`)

/**
 * A call in a transaction of a library of the host has a row in petstore_host_calls. While that row exists, COMMIT fails,
 * because it refers to a row that cannot exist. The call writes by one statement: it sets the column of each table to an
 * array of what to do there, and triggers replay that. There is a column for each table, because SQLite prepares the
 * triggers of the columns that are set.
 */
export const hostCalls = `
CREATE TABLE petstore_host_calls (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_calls (token) DEFERRABLE INITIALLY DEFERRED,
  ${columns.join(",\n  ")}
) STRICT, WITHOUT ROWID;
${replays.join("")}`
