import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import type { RunCommand } from "@petstore/core/ports"
import { checkpoints, idempotencyKeys, type PetRecord, pets } from "@petstore/core/tables"
import { aPetRecord, aStock } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  type Asked,
  adminKeys,
  askedOf,
  lengths,
  listIndexes,
  lookUps,
  messagesToDeliver,
  pages
} from "../../../test/support/askedRows.ts"
import type { Statement } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import { insertionInto, tables, updateText } from "../../sql/tableText.ts"
import { ConnectionTransaction } from "../commit/ConnectionTransaction.ts"
import { SqliteSql } from "../connection/CommittedReads.ts"
import { Connection } from "../connection/Connection.ts"
import { buildIndexes } from "../schema/buildIndexes.ts"
import { migrate } from "../schema/migrate.ts"
import { sqliteRows } from "./cachedRows.ts"
import { writesOf } from "./TableWrites.ts"

/** A connection that only notes which statements it is given. */
const recorder = () => {
  const statements: Array<string> = []
  const connection = new Connection(database)
  const noted = <A>({ decode, sql }: Statement<A>): A => {
    statements.push(sql)
    return decode([])
  }
  const recording = new Proxy(connection, {
    get: (_, name) => (name === "perform" ? noted : name === "insert" ? () => 0 : Reflect.get(connection, name))
  })
  return { connection: recording, noted, statements }
}

const emptyDatabase = (): DatabaseSync => {
  const database = new DatabaseSync(":memory:")
  migrate(new Connection(database))
  return database
}

const indexedDatabase = (): DatabaseSync => {
  const indexed = emptyDatabase()
  buildIndexes(new Connection(indexed), listIndexes, { dropsOthers: false, mayBuild: true })
  return indexed
}

const database = emptyDatabase()

/** A database where SQLite knows that nearly all rows are alike (ANALYZE), which tempts it to go through all of them. */
const analyzedDatabase = (): DatabaseSync => {
  const analyzed = indexedDatabase()
  const numbers = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)"
  analyzed.exec(`
    INSERT INTO petstore_categories (id, name, name_key, version, created_at, updated_at, deleted)
      ${numbers} SELECT n, 'c' || n, 'c' || n, 1, '2026', '2026', n > 2 FROM n;
    INSERT INTO petstore_pets
      (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at,
        updated_at, deleted)
      ${numbers} SELECT n, 'Rex', 1, 'available', 1, 1, 0, 0, 1, 1, '2026', '2026', 0 FROM n;
    INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version, owner, created_at, updated_at)
      ${numbers} SELECT n, 'complete', 1, 1, '2026', 1, '7 ada', '2026', '2026' FROM n;
    INSERT INTO petstore_records (resource, kind, id, metadata, changes, owner)
      ${numbers} SELECT 'orders/' || n, 'orders', n, '{"chip":"276"}', 1, '7 ada' FROM n;
    INSERT INTO petstore_accounts (id, name, name_key, created_at)
      ${numbers} SELECT n, 'a' || n, 'a' || n, '2026' FROM n;
    INSERT INTO petstore_api_keys (id, account_id, name, scopes, created_at, digest, revoked)
      ${numbers} SELECT n, 1, 'key', '[]', '2026', zeroblob(32), n > 2 FROM n;
    INSERT INTO petstore_idempotency (account_id, key, operation, fingerprint, answer, created_at)
      ${numbers} SELECT 1, 'k' || n, 'o', zeroblob(32), '', '2026' FROM n;
    INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, actor, at)
      ${numbers} SELECT 1, n, 'set', 1, 0, 'owner', '2026' FROM n;
    INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, finished_at)
      ${numbers} SELECT 'm' || n, 'Hello', iif(n % 100, 'delivered', 'queued'), '2026', 1, 1, iif(n % 100, '2026', NULL) FROM n;
    ANALYZE`)
  return analyzed
}

const databases = { empty: indexedDatabase(), analyzed: analyzedDatabase() }

const plan = (statement: string, on = database): ReadonlyArray<string> =>
  on
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => String(detail))

/** What a step of a list must be: a range that begins behind the place of the page, or ranges that are merged. */
const bounded =
  /^(SEARCH .*\(([a-z_<]+[>]?=\? AND )*(<expr>|id|rowid|order_id|name|seq|key|file|subject|created_at|updated_at|next_attempt_at)[<>=]|SEARCH .*>\(\?,\?\)|MERGE|LEFT$|RIGHT$|LIST SUBQUERY)/

/** The steps without those that take the rows again of a part that has an end of its own. */
const withoutEndedParts = (steps: ReadonlyArray<string>): ReadonlyArray<string> =>
  steps.filter(
    (step, index) =>
      !/^(CO-ROUTINE|SCAN) \(subquery|^(MATERIALIZE|SCAN) old$/.test(step) &&
      !(step.startsWith("USE TEMP B-TREE") && steps[index - 1]?.startsWith("SCAN (subquery"))
  )

const opcodes = (statement: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN ${statement}`)
    .all()
    .map(({ opcode }) => String(opcode))

/** The statements that calls of the port come to. */
const statementsOf = (calls: (asked: Asked) => ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
  Effect.gen(function* () {
    const { connection, noted, statements } = recorder()
    const sql = new SqliteSql({ execute: (statement) => Effect.sync(() => noted(statement)), shareLock: () => {} })
    const run: RunCommand = (begin) =>
      Effect.suspend(() => {
        const transaction = new ConnectionTransaction(connection)
        const exit = transaction.runCommand(begin, { services: Context.empty(), onStart: () => undefined })
        transaction.flush()
        return exit
      })
    yield* Effect.all(calls(askedOf(sqliteRows(sql), run)), { discard: true })
    return statements
  })

describe("how SQLite finds rows", () => {
  it.effect(
    "a list reads a range behind the place of its page and sorts nothing, whatever its filters and the data",
    () =>
      Effect.gen(function* () {
        const statements = yield* statementsOf((storage) => [
          ...pages(storage),
          storage.write([{ purge: idempotencyKeys.name, before: "2026", limit: 20 }])
        ])
        assert.isAbove(statements.length, 100)
        for (const [name, database] of Object.entries(databases)) {
          for (const statement of statements) {
            const steps = plan(statement, database)
            // Of an index that ends with the id of the row, SQLite seeks by the columns before it only.
            if (/\(\w+, \w+\) >/.test(statement)) assert.include(steps.join(), ")>(?,?)", statement)
            for (const step of withoutEndedParts(steps))
              assert.match(step, bounded, `${statement} in a database that is ${name}`)
          }
        }
      })
  )

  it.effect("no look-up goes through a table", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        ...lookUps(storage),
        storage.events.latest,
        storage.events.find([7, 9]),
        storage.write([{ remove: checkpoints.name, key: "log", row: {} }, { trim: 7 }])
      ])
      assert.isAbove(statements.length, 25)
      for (const statement of statements) {
        for (const step of plan(statement)) assert.match(step, /^SEARCH|^(SCALAR|LIST) SUBQUERY/, statement)
      }
    })
  )

  it.effect("messages that are due, leased or old are found by the indexes for them, and not sorted", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(messagesToDeliver)
      assert.strictEqual(statements.length, 9)
      // An expression in an index has no name in a plan. The leased ones are few.
      const step =
        /^(SCAN CONSTANT ROW|SCALAR SUBQUERY \d|(SCAN|SEARCH) petstore_messages USING (COVERING )?INDEX petstore_messages_(due|leased|delivered)\b.*)$/
      for (const [name, on] of Object.entries(databases)) {
        for (const statement of statements) {
          for (const found of plan(statement, on))
            assert.match(found, step, `${statement} in a database that is ${name}`)
        }
      }
    })
  )

  it.effect("queues are counted by the indexes of their statuses, and nothing is sorted", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(lengths)
      assert.strictEqual(statements.length, 2)
      const step =
        /^(CORRELATED SCALAR SUBQUERY \d|CO-ROUTINE found|SCAN found|SEARCH w USING INTEGER PRIMARY KEY .*|SCAN w|SEARCH petstore_(deliveries|messages) USING (COVERING )?INDEX petstore_\w+_status \(.*status=\?.*\))$/
      for (const [name, on] of Object.entries(databases)) {
        for (const statement of statements) {
          for (const found of plan(statement, on)) {
            assert.match(found, step, `${statement} in a database that is ${name}`)
          }
        }
      }
    })
  )

  it.effect("another admin key is looked for among live admin keys alone", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(adminKeys)
      assert.deepStrictEqual(
        statements.flatMap((statement) => plan(statement, databases.analyzed)),
        ["SEARCH petstore_api_keys USING INDEX petstore_api_keys_admin (id>?)"]
      )
    })
  )

  it("no write of a row fills a table of what a column may have", () => {
    for (const table of tables.values()) {
      for (const statement of [insertionOf(insertionInto(table).target), updateText(table)])
        assert.notInclude(opcodes(statement), "OpenEphemeral", statement)
    }
  })

  it("a change of stock touches no index, one of status the four indexes of it", () => {
    const touched = (row: PetRecord): number => {
      const [update = assert.fail("Nothing differs")] = writesOf(pets).changes([{ key: pet.id, before: pet, row }])
      return opcodes(update.statement.sql).filter((opcode) => opcode === "IdxInsert").length
    }
    const pet = aPetRecord({ stock: aStock({ onHand: 5 }) })
    assert.strictEqual(touched({ ...pet, stock: { ...pet.stock, reserved: 1 }, stockVersion: 2 }), 0)
    assert.strictEqual(touched({ ...pet, stock: { ...pet.stock, reserved: 5 }, stockVersion: 2 }), 4)
    assert.isAbove(touched({ ...pet, name: "Max", deleted: true }), 4)
  })
})
