import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import type { Table, Write } from "@petstore/core/engine"
import { type CommandName, Storage, type Transaction } from "@petstore/core/ports"
import {
  accounts,
  adminKeysAfter,
  apiKeys,
  categories,
  idempotencyKeys,
  orders,
  pets,
  petsBy,
  petsInCategory
} from "@petstore/core/tables"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { expectLogs } from "../../../test/support/expectLogs.ts"
import { assertRejects } from "../assertRejects.ts"
import { aCategoryRecord, anOrderRecord, aPetRecord, aStock } from "../builders.ts"
import { newAccount, newApiKey, newEvent, newStoredResult } from "../storage/rows.ts"
import { tested } from "../storage/TestedStore.ts"
import { untyped } from "../untyped.ts"
import { LockViolation } from "./LockViolation.ts"
import { withLockChecks } from "./withLockChecks.ts"

expectLogs('broke the lock rule "locked"')

type Store = Storage["Service"]

const pet = aPetRecord({ stock: aStock({ onHand: 5 }), lastMovement: 0 })
const category = aCategoryRecord()
const order = anOrderRecord()
const apiKey = { ...newApiKey(1), key: { ...newApiKey(1, { scopes: ["admin"] }).key, id: 1 } }
const result = newStoredResult("once", { accountId: 0 })
const once = idempotencyKeys.keyOf(result)

/** Two categories, each with a pet, an order of each pet, and two accounts, one of them with a key. */
const fill = (opened: Store) => {
  const store = tested(opened)
  return store.transact(
    Effect.gen(function* () {
      for (const id of [1, 2]) {
        yield* store.categories.insert(aCategoryRecord({ name: `Dogs ${id}` }))
        yield* store.pets.insert({ ...pet, categoryId: id })
        yield* store.orders.insert({ ...order, order: { ...order.order, petId: id } })
      }
      yield* store.accounts.insertAll([newAccount("Shop"), newAccount("Mill")])
      yield* store.apiKeys.insert(apiKey)
    })
  )
}

type Statement = Effect.Effect<unknown, unknown, Transaction>

/** Saves a row in place of another one. */
const saved = <Row, K extends number | string>(
  { keyOf, name }: Table<Row, K>,
  row: Row,
  before: Row | undefined = row
) => ({ table: name, key: keyOf(row), row, before })

const added = <Row>(table: Table<Row>, row: Row) => [table, [(id: number) => table.withId(row, id)]] as const

const event = (n: number): Write => ({ log: "events", rows: [newEvent(n)] })

/** Runs a body as a transaction of a command on a store that is filled; the exits of the body and of closing the store. */
const run = <A, E>(
  command: CommandName | undefined,
  body: (store: Store) => Effect.Effect<A, E, Transaction>
): Effect.Effect<{ readonly exit: Exit.Exit<A, unknown>; readonly closed: Exit.Exit<void, unknown> }, unknown> =>
  Effect.gen(function* () {
    const adapter = memory()
    yield* Effect.provide(Effect.flatMap(Storage, fill), Layer.fresh(adapter.layer))
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.fresh(withLockChecks(adapter).layer), scope)
    const store = Context.get(context, Storage)
    const exit = yield* Effect.exit(store.transact(body(store), command))
    return { exit, closed: yield* Effect.exit(Scope.close(scope, Exit.void)) }
  })

const violationOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined

/** Bodies that break a rule: the command, the row and the rule that the violation names. */
const broken: Readonly<
  Record<
    string,
    {
      readonly command?: CommandName
      readonly body: (store: Store) => Effect.Effect<unknown, unknown, Transaction>
      readonly violation: readonly [row: string, rule: LockViolation["rule"]]
    }
  >
> = {
  "finds a pet instead of locking it": {
    command: "orders.place",
    body: ({ find }) => find(pets, 1),
    violation: ["pets 1", "locked"]
  },
  "lists pets": {
    command: "orders.place",
    body: ({ select }) => select(petsBy, { after: 0 }, 1),
    violation: ['petsBy {"after":0}', "locked"]
  },
  "finds an account that another command may find": {
    command: "orders.place",
    body: ({ find }) => find(accounts, 1),
    violation: ["accounts 1", "locked"]
  },
  "asks for the pets of a category under a shared lock": {
    command: "categories.delete",
    body: ({ lock, select }) => Effect.andThen(lock(categories, 1, true), select(petsInCategory, 1, 1)),
    violation: ["petsInCategory 1", "locked"]
  },
  "asks for the pets of a category before it locks it": {
    command: "categories.delete",
    body: ({ lock, select }) => Effect.andThen(select(petsInCategory, 1, 1), lock(categories, 1)),
    violation: ["petsInCategory 1", "locked"]
  },
  "locks pets before an order": {
    command: "orders.cancel",
    body: ({ lock }) => Effect.andThen(lock(pets, 1), lock(orders, 1)),
    violation: ["orders 1", "ordered"]
  },
  "locks pets in descending order": {
    command: "orders.update",
    body: ({ lock }) => Effect.andThen(lock(pets, 2), lock(pets, 1)),
    violation: ["pets 1", "ordered"]
  },
  "locks a key after it has asked for the admin keys": {
    command: "apiKeys.revoke",
    body: ({ lock, select }) => Effect.andThen(select(adminKeysAfter, 0, 1), lock(apiKeys, 1)),
    violation: ["apiKeys 1", "ordered"]
  },
  "locks an idempotency key after a pet": {
    command: "orders.place",
    body: ({ lock }) => Effect.andThen(lock(pets, 1), lock(idempotencyKeys, once)),
    violation: [`idempotency ${once}`, "ordered"]
  },
  "locks a pet after it has appended an event": {
    command: "inventory.set",
    body: ({ lock, write }) => Effect.andThen(write([event(1)]), lock(pets, 1)),
    violation: ["pets 1", "ordered"]
  }
}

/** Statements that read without a lock, by the names of the operations. */
const reads = ({ count, events, find, findAll, scan, select }: Store) => ({
  find: find(pets, 1),
  findAll: findAll(pets, [1]),
  scan: scan(pets, [], 1),
  select: select(petsBy, { after: 0 }, 1),
  count: count(petsBy, { after: 0 }, 1),
  latest: events.latest,
  "scan of events": events.scan(0, 1),
  "find of events": events.find([1])
})

describe("withLockChecks", () => {
  for (const [name, { body, command, violation }] of Object.entries(broken)) {
    it.effect(`given a transaction that ${name}, then it dies, and closing the store dies too`, () =>
      Effect.gen(function* () {
        const { closed, exit } = yield* run(command, body)
        const found = violationOf(exit)
        if (!(found instanceof LockViolation)) return assert.fail(String(found))
        assert.deepStrictEqual([found.command, found.row, found.rule], [command, ...violation])
        assert.strictEqual(violationOf(closed), found)
      })
    )
  }

  /** An empty store that stays open, since closing it would report the violations again. */
  const neverClosed = Effect.gen(function* () {
    const services = yield* Layer.buildWithScope(withLockChecks(memory()).layer, yield* Scope.make())
    return Context.get(services, Storage)
  })

  it.effect("given any read that a command may not make without a lock, then it dies", () =>
    Effect.gen(function* () {
      const store = yield* neverClosed
      for (const [name, read] of Object.entries<Statement>(reads(store))) {
        const found = violationOf(yield* Effect.exit(store.transact(read, "orders.place")))
        assert.isTrue(found instanceof LockViolation && found.rule === "locked", `${name}: ${found}`)
      }
    })
  )

  it.effect("given a transaction that takes every lock in order, then it succeeds", () =>
    Effect.gen(function* () {
      const { closed, exit } = yield* run("orders.update", ({ lock, write }) =>
        Effect.gen(function* () {
          yield* lock(idempotencyKeys, once)
          yield* lock(orders, 1)
          yield* lock(pets, 1)
          yield* lock(pets, 2)
          yield* lock(categories, 1, true)
          const second = { ...pet, id: 2, categoryId: 2 }
          yield* write([
            saved(orders, { ...order, order: { ...order.order, petId: 2 } }, order),
            saved(pets, { ...second, categoryId: 1 }, second),
            event(1),
            event(2),
            { ...saved(idempotencyKeys, result), before: undefined }
          ])
        })
      )
      assert.deepStrictEqual([exit, closed], [Exit.void, Exit.void])
    })
  )

  it.effect("given a transaction that saves what it has inserted, then it succeeds", () =>
    Effect.gen(function* () {
      const { exit } = yield* run("pets.create", ({ insert, write }) =>
        Effect.gen(function* () {
          const [cats = category] = yield* insert(...added(categories, aCategoryRecord({ name: "Cats" })))
          const [tom = pet] = yield* insert(...added(pets, { ...pet, categoryId: cats.category.id }))
          yield* write([saved(pets, { ...tom, version: 2 }, tom)])
        })
      )
      assert.deepStrictEqual(exit, Exit.void)
    })
  )

  it.effect("given a body inside another, then each has locks of its own, and the outer one may read", () =>
    Effect.gen(function* () {
      const { exit } = yield* run(undefined, (store) => {
        const lock = store.transact(Effect.asVoid(store.lock(pets, 1)), "inventory.set")
        return Effect.asVoid(Effect.all([lock, store.find(pets, 1), lock, store.find(pets, 1)]))
      })
      assert.deepStrictEqual(exit, Exit.void)
    })
  )

  it.effect("given reads outside of transactions and in snapshots, then they are free", () => {
    const adapter = memory()
    return Effect.gen(function* () {
      yield* Effect.provide(Effect.flatMap(Storage, fill), Layer.fresh(adapter.layer))
      const store = yield* Storage
      const twice = Effect.andThen(store.find(pets, 1), store.find(pets, 1))
      assert.strictEqual((yield* twice)?.id, 1)
      assert.strictEqual((yield* store.snapshot(twice))?.id, 1)
    }).pipe(Effect.provide(withLockChecks(adapter).layer))
  })

  it("given what is no adapter, then the petstore rejects it", async () => {
    const opening = createPetstore({ storage: withLockChecks(untyped("petstore.db")) })
    assert.match((await assertRejects(opening, TypeError)).message, /is a storage adapter, such as memory\(\)/)
  })

  it("given a petstore on it, when a violation was swallowed, then closing it rejects", async () => {
    const adapter = withLockChecks(memory())
    let store: Store | undefined
    const layer = Layer.tap(adapter.layer, (services) =>
      Effect.sync(() => {
        store = Context.get(services, Storage)
      })
    )
    const petstore = await createPetstore({ storage: { ...adapter, layer } })
    if (store === undefined) return assert.fail("The store did not open")
    await Effect.runPromiseExit(store.transact(store.find(pets, 1), "orders.place"))
    const closed = await petstore.close().then(
      () => "closed",
      (error: unknown) => error
    )
    assert.instanceOf(closed, LockViolation)
  })
})
