import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { type PetRecord, Transaction } from "@petstore/core/ports"
import { Effect } from "effect"
import { rows } from "../sql/rows.ts"
import type { Query, Sql } from "../sql/Sql.ts"
import { initial } from "./migrations/0001_initial.ts"

/** A database that only notes which statements it is given. */
const recorder = () => {
  const statements: Array<string> = []
  const query =
    <A>(statement: string, answer: A): Query<A, never> =>
    () =>
      Effect.sync(() => {
        statements.push(statement)
        return answer
      })
  const sql: Sql = {
    first: (statement) => query(statement, undefined),
    all: (statement) => query(statement, []),
    lock: (statement) => query(statement, undefined),
    lockShared: (statement) => query(statement, undefined),
    run: (statement) => query(statement, undefined),
    change: (statement) => query(statement, 0),
    insert: (statement) => query(statement, 1),
    tryInsert: (statement) => query(statement, 1)
  }
  return { statements, sql }
}

const database = new DatabaseSync(":memory:")
database.exec(initial)

const plan = (statement: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all()
    .map(({ detail }) => String(detail))

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

const petQueries = [undefined, "available" as const].flatMap((status) =>
  [undefined, 3].flatMap((categoryId) =>
    [undefined, "Re", "\u{10FFFF}"].flatMap((name) =>
      [undefined, [1, 2, 3]].map((ids) => ({ status, categoryId, name, ids, ...page }))
    )
  )
)

const orderQueries = [undefined, 3].flatMap((petId) =>
  [undefined, true, false].map((complete) => ({ petId, complete, ...page }))
)

const pet: PetRecord = {
  id: 1,
  name: "Rex",
  categoryId: 1,
  version: 1,
  stock: { onHand: 1, reserved: 0, held: false },
  stockVersion: 1,
  lastMovement: 1,
  deleted: false
}

describe("how SQLite finds rows", () => {
  it.effect("no list goes through a table or sorts one, whatever its filters", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        ...petQueries.map(storage.pets.list),
        ...orderQueries.map(storage.orders.list),
        storage.categories.list(7, 20),
        storage.movements.list(3, 7, 20),
        storage.messages.list("msg_7", 20),
        storage.accounts.list(7, 20),
        storage.apiKeys.list(7, 20),
        storage.events.scan(7, 20),
        storage.pets.scan(7, 20),
        storage.categories.scan(7, 20),
        storage.orders.scan(7, 20),
        storage.movements.scan({ petId: 3, seq: 7 }, 20),
        storage.idempotency.scan({ accountId: 1, key: "a" }, 20),
        storage.idempotency.purge("2026", 20)
      ])
      assert.strictEqual(statements.length, petQueries.length + orderQueries.length + 12)
      for (const statement of statements) {
        for (const step of plan(statement)) assert.notMatch(step, /^SCAN|TEMP B-TREE/, statement)
      }
    })
  )

  it.effect("no look-up goes through a table", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        storage.pets.find(1),
        storage.pets.lock(1),
        storage.pets.anyInCategory(1),
        storage.categories.find(1),
        storage.categories.findByName("dogs"),
        storage.orders.find(1),
        storage.events.latest,
        storage.messages.find("msg_1"),
        storage.accounts.find(1),
        storage.accounts.findByName("till"),
        storage.apiKeys.find(1),
        storage.idempotency.lock(1, "a")
      ])
      assert.strictEqual(statements.length, 12)
      for (const statement of statements) {
        for (const step of plan(statement)) assert.match(step, /^SEARCH/, statement)
      }
    })
  )

  it.effect("a change of stock touches no index, one of status the two indexes of it", () =>
    Effect.gen(function* () {
      const touched = (statements: ReadonlyArray<string>) =>
        statements.map((statement) => opcodes(statement).filter((opcode) => opcode === "IdxInsert").length)
      assert.deepStrictEqual(touched(yield* statementsOf(({ pets }) => [pets.saveStock(pet)])), [0])
      const [status, everything = 0] = touched(yield* statementsOf(({ pets }) => [pets.save(pet)]))
      assert.strictEqual(status, 2)
      assert.isAbove(everything, 2)
    })
  )
})
