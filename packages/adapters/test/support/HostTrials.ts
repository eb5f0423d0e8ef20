import { copyFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { createPetstore, type HostTransaction } from "@petstore/core"
import { assert } from "vitest"
import { sqlTransactionOf } from "../../src/postgres/host/HostClient.ts"
import type { SqlTransaction } from "../../src/sql/SqlTransaction.ts"
import { sqlite } from "../../src/sqlite/sqlite.ts"
import type { HostCommand } from "./hostCommands.ts"
import { openLibrary } from "./libraries.ts"
import type { HostLibraryName } from "./postgres/hostLibraries.ts"
import { type HostStores, reuseIds, rowsOf } from "./postgres/hostStore.ts"

/** What a host does while a call runs: statements of its own before the statement of this number. */
export interface Act {
  readonly place: number
  readonly sql: ReadonlyArray<string>
}

interface Called {
  readonly done: boolean
  /** Why it failed. */
  readonly reason: string
  /** How many statements it ran. */
  readonly statements: number
}

/** A store with a host that begins transactions in it. */
export interface HostTrial {
  /** Every committed row of the store. */
  readonly rows: () => Promise<string>
  /** Makes a call in a transaction while the host acts, which finally does `last`. */
  readonly call: (
    command: HostCommand,
    acts: ReadonlyArray<Act>,
    last: (statements: number) => ReadonlyArray<string>
  ) => Promise<Called>
  /** Verifies the store, and closes it. */
  readonly close: () => Promise<void>
}

/** The statements of a call in a transaction. */
export const statementsOf = (transaction: HostTransaction): SqlTransaction => {
  const joined = sqlTransactionOf(transaction)
  if (typeof joined === "string") throw new Error(joined)
  return joined
}

/** A transaction in which the host acts between the statements of a call; counts them. */
const interleaved = (
  transaction: HostTransaction,
  acts: ReadonlyArray<Act>,
  /** Of a library that is synchronous, it is synchronous. */
  run: (sql: ReadonlyArray<string>) => Promise<void> | void
) => {
  const { identity, rows } = statementsOf(transaction)
  const seen = { statements: 0 }
  const between: SqlTransaction["rows"] = (statement, values) => {
    const place = seen.statements++
    const done = run(acts.flatMap((act) => (act.place === place ? act.sql : [])))
    return done === undefined ? rows(statement, values) : done.then(() => rows(statement, values))
  }
  return { seen, transaction: { identity, rows: between, run: between } }
}

/** A store on PostgreSQL with a host on this library. */
export const openPostgresTrial = async (stores: HostStores, name: HostLibraryName): Promise<HostTrial> => {
  const store = await stores.open(name)
  const { library, petstore } = store
  return {
    rows: () => rowsOf(store),
    call: async (command, acts, last) => {
      await reuseIds(store)
      const host = await library.begin()
      // As a host does: a COMMIT that is rejected is followed by a ROLLBACK.
      const runAll = async (sql: ReadonlyArray<string>): Promise<void> => {
        for (const text of sql) await host.run(text).catch(() => host.run("ROLLBACK").catch(() => {}))
      }
      const { seen, transaction } = interleaved(host.transaction, acts, runAll)
      const [outcome] = await Promise.allSettled([command(petstore, transaction)])
      await runAll(last(seen.statements))
      await host.rollback().catch(() => {})
      const reason = outcome.status === "rejected" ? String(outcome.reason) : ""
      return { done: outcome.status === "fulfilled", reason, statements: seen.statements }
    },
    close: async () => {
      assert.isTrue((await petstore.verify()).ok)
      await store.close()
    }
  }
}

const tables =
  "categories pets orders movements events messages accounts api_keys idempotency webhooks deliveries".split(" ")

/** A petstore on SQLite in a copy of the file `template`, and a host on this library. */
export const openSqliteTrial = async (library: string, template: string, file: string): Promise<HostTrial> => {
  copyFileSync(template, file)
  const db = new DatabaseSync(file)
  const petstore = await createPetstore({ storage: sqlite(file) })
  const runAll = (statements: ReadonlyArray<string>): void => {
    for (const sql of statements) {
      try {
        db.exec(sql === "BEGIN" ? "BEGIN IMMEDIATE" : sql)
      } catch {
        db.exec("ROLLBACK")
      }
    }
  }
  return {
    rows: async () => {
      const reader = new DatabaseSync(file, { readOnly: true })
      const all = tables.map((table) => reader.prepare(`SELECT * FROM petstore_${table}`).all())
      reader.close()
      return JSON.stringify(all)
    },
    call: async (command, acts, last) => {
      // Ended on its connection, so that the library does not know.
      const host = await openLibrary(library, db).begin()
      const { seen, transaction } = interleaved(host.transaction, acts, runAll)
      const [outcome] = await Promise.allSettled([command(petstore, transaction)])
      runAll(last(seen.statements))
      assert.isFalse(db.isTransaction)
      const reason = outcome.status === "rejected" ? String(outcome.reason) : ""
      return { done: outcome.status === "fulfilled", reason, statements: seen.statements }
    },
    close: async () => {
      assert.isTrue((await petstore.verify()).ok)
      await petstore.close()
      db.close()
    }
  }
}

/** What is the same each time that a call is done: times, identities and secrets are not. */
const shapeOf = (rows: string): string =>
  rows
    .replace(/\b(evt|msg)_\w+/g, "$1")
    // An event that SQLite stores as a list of values has its id without the prefix, and milliseconds instead of its time.
    .replace(/"id":"[0-9a-z]{22}"/g, '"id":"evt"')
    .replace(/"timestamp":"\d*"/g, '"timestamp":"time"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replace(/\{"0":[^}]*\}|\\+x[0-9a-f]{64}/g, "bytes")
    .replace(/whsec_[\w+/=]+/g, "secret")

/** Stores to try commands on, each replaced after a command had an effect on it. */
export class Trials {
  private readonly open: () => Promise<HostTrial>
  private trial: HostTrial | undefined
  before = ""

  constructor(open: () => Promise<HostTrial>) {
    this.open = open
  }

  async current(): Promise<HostTrial> {
    if (this.trial === undefined) {
      this.trial = await this.open()
      this.before = await this.trial.rows()
    }
    return this.trial
  }

  async call(
    command: HostCommand,
    acts: ReadonlyArray<Act> = [],
    last: (statements: number) => ReadonlyArray<string> = () => ["COMMIT"]
  ): Promise<Called> {
    return (await this.current()).call(command, acts, last)
  }

  /** What a command does when nobody disturbs it. */
  async whole(command: HostCommand) {
    const { done, reason, statements } = await this.call(command)
    assert.isTrue(done, reason)
    const after = shapeOf(await (await this.current()).rows())
    assert.notStrictEqual(after, shapeOf(this.before))
    await this.close()
    return { after, statements }
  }

  /** Whether the command had its effect, which is all or nothing. */
  async isThere(after: string, what: string): Promise<boolean> {
    const rows = await (await this.current()).rows()
    if (rows === this.before) return false
    assert.strictEqual(shapeOf(rows), after, what)
    await this.close()
    return true
  }

  async close(): Promise<void> {
    await this.trial?.close()
    this.trial = undefined
  }
}
