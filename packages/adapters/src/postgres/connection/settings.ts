/** The settings that the adapter needs, as statements. */
interface SessionSettings {
  /** For a connection of its own, once. */
  readonly session: string
  /** For a connection that others use too, in each transaction. */
  readonly transaction: string
}

/** Milliseconds after which the server ends a transaction whose process hangs, so that its locks do not stop the others. */
const idleTimeoutMillis = 30_000

/** What changes how statements are read, and what they return; set by a role, a database, a URL or an app. */
const meaning = [
  "standard_conforming_strings = on",
  "bytea_output = hex",
  "array_nulls = on",
  "quote_all_identifiers = off"
]

/** Statements of a transaction that defines tables, or reads definitions: names are qualified, so none is looked for elsewhere. */
export const definingSettings: ReadonlyArray<string> = [...meaning, "search_path = pg_catalog"].map(
  (setting) => `SET LOCAL ${setting}`
)

/** What only our own connections need: each transaction says its isolation level itself, single statements do not. */
const ownSettings = ["default_transaction_isolation = 'read committed'", "default_transaction_deferrable = off"]

/**
 * A statement runs, and waits for locks, for a bounded time. A `COMMIT` returns after its changes are durable, on a standby
 * too if the server has synchronous ones, whatever its default. A plan that was made while a table was empty stays a scan of
 * the table, or a sort of its rows, when it has grown, so these connections never scan or sort where there is an index; every
 * statement has one.
 */
export const sessionSettings = (lockTimeout: number, statementTimeout: number): SessionSettings => {
  const settings = (scope: string): ReadonlyArray<string> => [
    ...meaning.map((setting) => `SET ${scope} ${setting}`),
    `SET ${scope} lock_timeout = ${Math.ceil(lockTimeout)}`,
    `SET ${scope} statement_timeout = ${Math.ceil(statementTimeout)}`,
    `SET ${scope} idle_in_transaction_session_timeout = ${idleTimeoutMillis}`,
    `SET ${scope} enable_seqscan = off`,
    // The price of a scan of a small table without an index, such as pending events, would make the server compile the plan,
    // which takes longer than a second.
    `SET ${scope} jit = off`,
    `SET ${scope} enable_sort = off`,
    `SET ${scope} enable_incremental_sort = off`,
    `SELECT set_config('synchronous_commit', 'on', ${scope === "LOCAL"}) WHERE current_setting('synchronous_commit') IN ('off', 'local')`
  ]
  const own = ownSettings.map((setting) => `SET SESSION ${setting}`)
  return { session: [...own, ...settings("SESSION")].join("; "), transaction: `; ${settings("LOCAL").join("; ")}` }
}

/** Milliseconds after the end of its time in which the server reports that a statement was cancelled. */
export const latenessMillis = 2_000
