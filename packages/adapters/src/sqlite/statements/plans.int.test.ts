import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Transaction } from "@petstore/core/ports"
import { aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { rows } from "../../sql/rows.ts"
import type { Query, Sql } from "../../sql/Sql.ts"
import { Connection } from "../connection/Connection.ts"
import { migrate } from "../schema/migrate.ts"
import { mergeRanges } from "./mergeRanges.ts"

/** A database that only notes which statements it is given. */
const recorder = () => {
  const statements: Array<string> = []
  const query =
    <A>(statement: string, result: A): Query<A, never> =>
    () =>
      Effect.sync(() => {
        statements.push(statement)
        return result
      })
  const sql: Sql = {
    first: (statement) => query(statement, undefined),
    all: (statement) => query(statement, []),
    merge: mergeRanges,
    lock: (statement) => query(statement, undefined),
    lockShared: (statement) => query(statement, undefined),
    lockFree: (statement) => query(statement, []),
    claim: () => () => Effect.succeed(true),
    runOwn: (statement) => query(statement, undefined),
    append: (statement) => query(statement, undefined),
    run: (statement) => query(statement, undefined),
    tryRun: (statement) => query(statement, true),
    shortcut: (statement) => query(statement, false),
    insert: (statement) => query(statement, 1),
    insertAll: () => () => Effect.void,
    insertMany: () => () => Effect.succeed([]),
    tryInsert: (statement) => query(statement, 1)
  }
  return { statements, sql }
}

const emptyDatabase = (): DatabaseSync => {
  const database = new DatabaseSync(":memory:")
  migrate(new Connection(database))
  return database
}

const database = emptyDatabase()

/** A database where SQLite knows that nearly all rows are alike (ANALYZE), which tempts it to go through all of them. */
const analyzedDatabase = (): DatabaseSync => {
  const analyzed = emptyDatabase()
  const numbers = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)"
  analyzed.exec(`
    INSERT INTO petstore_categories (id, name, name_key, version, deleted)
      ${numbers} SELECT n, 'c' || n, 'c' || n, 1, n > 2 FROM n;
    INSERT INTO petstore_pets
      (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, deleted)
      ${numbers} SELECT n, 'Rex', 1, 'available', 1, 1, 0, 0, 1, 1, 0 FROM n;
    INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version, owner)
      ${numbers} SELECT n, 'complete', 1, 1, '2026', 1, '7 ada' FROM n;
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

const databases = { empty: database, analyzed: analyzedDatabase() }

const plan = (statement: string, on = database): ReadonlyArray<string> =>
  on
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => String(detail))

/** What a step of a list must be: a range that begins behind the place of the page, or ranges that are merged. */
const bounded =
  /^(SEARCH .*\(([a-z_<]+[>]?=\? AND )*(id|rowid|name|seq|key|subject|created_at|next_attempt_at)[<>=]|SEARCH .*>\(\?,\?\)|MERGE|LEFT$|RIGHT$|LIST SUBQUERY)/

/** Chosen pets are at most a hundred, found by their ids. */
const isChoice = (statement: string): boolean => statement.includes("NOT INDEXED WHERE id IN (")

const opcodes = (statement: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN ${statement}`)
    .all()
    .map(({ opcode }) => String(opcode))

type Call = Effect.Effect<unknown, unknown, Transaction>

/** The statements that calls of the port come to. */
const statementsOf = (calls: (storage: ReturnType<typeof rows>) => ReadonlyArray<Call>) =>
  Effect.gen(function* () {
    const { sql, statements } = recorder()
    yield* Effect.provideService(Effect.all(calls(rows(sql))), Transaction, { store: sql })
    return statements
  })

const page = { after: 7, limit: 20 }

const places = [{ after: 0 }, { after: 7, afterName: "Rex" }]

const petQueries = [undefined, "available" as const].flatMap((status) =>
  [undefined, 3].flatMap((categoryId) =>
    [undefined, "", "Re", "\u{10FFFF}"].flatMap((name) =>
      [undefined, [1, 2, 3]].flatMap((ids) =>
        places.map((place) => ({ status, categoryId, name, ids, ...place, limit: 20 }))
      )
    )
  )
)

const orderQueries = [undefined, "7 ada"].flatMap((owner) =>
  [undefined, 3].flatMap((petId) => [undefined, true, false].map((complete) => ({ owner, petId, complete, ...page })))
)

const pet = aPetRecord()

describe("how SQLite finds rows", () => {
  it.effect(
    "a list reads a range behind the place of its page and sorts nothing, whatever its filters and the data",
    () =>
      Effect.gen(function* () {
        const statements = yield* statementsOf((storage) => [
          ...petQueries.map(storage.pets.list),
          ...petQueries.map(storage.pets.listShown),
          ...orderQueries.map(storage.orders.list),
          storage.categories.list(7, 20),
          storage.movements.list(3, 7, 20),
          storage.messages.list({ after: "msg_7", limit: 20 }),
          storage.messages.list({ status: "queued", after: "msg_7", limit: 20 }),
          storage.accounts.list(7, 20),
          storage.apiKeys.list(7, 20),
          storage.events.scan(7, 20),
          storage.pets.scan(7, 20),
          storage.categories.scan(7, 20),
          storage.orders.scan(7, 20),
          storage.movements.scan({ petId: 3, seq: 7 }, 20),
          storage.idempotency.scan({ accountId: 1, key: "a" }, 20),
          storage.idempotency.purge("2026", 20),
          storage.imports.scan({ file: "a", seq: 7 }, 20),
          storage.checkpoints.scan("orders/7", 20),
          storage.webhooks.list(7, 20),
          storage.webhooks.scan(7, 20),
          storage.deliveries.list({ webhookId: 3, after: 7, limit: 20 }),
          storage.deliveries.list({ webhookId: 3, status: "failed", after: 7, limit: 20 }),
          storage.deliveries.ofEvents(3, 7, 20),
          storage.deliveries.scan(7, 20),
          storage.deliveries.due(3, "2026", 20),
          storage.deliveries.nextDue(3)
        ])
        assert.strictEqual(statements.length, 2 * petQueries.length + orderQueries.length + 23)
        for (const [name, database] of Object.entries(databases)) {
          for (const statement of statements) {
            const steps = plan(statement, database)
            if (isChoice(statement)) {
              assert.deepStrictEqual(
                steps.slice(0, 3),
                ["CO-ROUTINE chosen", "SEARCH petstore_pets USING INTEGER PRIMARY KEY (rowid=?)", "SCAN chosen"],
                statement
              )
              assert.match(steps.slice(3).join(), /^(USE TEMP B-TREE FOR ORDER BY)?$/, statement)
            } else {
              // Of an index that ends with the id of the row, SQLite seeks by the columns before it only.
              if (/\(\w+, \w+\) >/.test(statement)) assert.include(steps.join(), ")>(?,?)", statement)
              for (const step of steps) assert.match(step, bounded, `${statement} in a database that is ${name}`)
            }
          }
        }
      })
  )

  it.effect("no look-up goes through a table", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        storage.pets.find(1),
        storage.pets.findShown(1),
        storage.pets.lock(1),
        storage.categories.find(1),
        storage.categories.findByName("dogs"),
        storage.orders.find(1),
        storage.orders.owners([1, 2, 3]),
        storage.events.latest,
        storage.messages.find("msg_1"),
        storage.accounts.find(1),
        storage.accounts.findByName("till"),
        storage.apiKeys.find(1),
        storage.idempotency.lock(1, "a"),
        storage.imports.lock("a"),
        storage.checkpoints.lock("log"),
        storage.checkpoints.find(["log"]),
        storage.checkpoints.remove(["log"]),
        storage.events.trim(7),
        storage.events.find([7, 9]),
        storage.webhooks.find(1),
        storage.deliveries.find(1),
        storage.deliveries.leased(1, "2026"),
        storage.deliveries.pending(1, "pets/1", 1)
      ])
      assert.strictEqual(statements.length, 23)
      for (const statement of statements) {
        for (const step of plan(statement)) assert.match(step, /^SEARCH|^SCALAR SUBQUERY/, statement)
      }
    })
  )

  it.effect("messages that are due, leased or old are found by the indexes for them, and not sorted", () =>
    Effect.gen(function* () {
      const limits = { now: "2026", longestLease: "2027", longestDelay: "2028", limit: 20 }
      const statements = yield* statementsOf(({ messages }) => [
        messages.nextDue,
        messages.lockClaimable(limits),
        messages.lockDelivered("2026", 20)
      ])
      assert.strictEqual(statements.length, 5)
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
      const statements = yield* statementsOf(({ deliveries, messages }) => [
        deliveries.backlogs(100, 1_000),
        messages.count("queued", 1_000)
      ])
      const step =
        /^(CORRELATED SCALAR SUBQUERY \d|CO-ROUTINE found|SCAN found|SEARCH w USING INTEGER PRIMARY KEY .*|SCAN w|SEARCH petstore_(deliveries|messages) USING (COVERING )?INDEX petstore_\w+_status \(.*status=\?\))$/
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
      const statements = yield* statementsOf(({ apiKeys }) => [apiKeys.otherAdminExists(1, "2026")])
      assert.deepStrictEqual(
        statements.flatMap((statement) => plan(statement, databases.analyzed)),
        ["SCAN petstore_api_keys USING INDEX petstore_api_keys_admin"]
      )
    })
  )

  it.effect("a change of stock touches no index, one of status the four indexes of it", () =>
    Effect.gen(function* () {
      const touched = (statements: ReadonlyArray<string>) =>
        statements.map((statement) => opcodes(statement).filter((opcode) => opcode === "IdxInsert").length)
      assert.deepStrictEqual(touched(yield* statementsOf(({ pets }) => [pets.saveStock(pet)])), [0])
      const [status, everything = 0] = touched(yield* statementsOf(({ pets }) => [pets.save(pet)]))
      assert.strictEqual(status, 4)
      assert.isAbove(everything, 4)
    })
  )
})
