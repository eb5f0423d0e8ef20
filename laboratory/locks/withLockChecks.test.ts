import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import type { Answer, Command, Transaction } from "@petstore/core/kernel"
import { type CommandName, Storage } from "@petstore/core/ports"
import {
  accounts,
  adminKeysAfter,
  apiKeys,
  categories,
  events,
  idempotencyKeys,
  orders,
  pets,
  petsBy,
  petsInCategory
} from "@petstore/core/tables"
import { aCategoryRecord, anOrderRecord, aPetRecord, aStock, assertRejects } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { expectLogs } from "../../packages/core/test/support/expectLogs.ts"
import { newAccount, newApiKey, newEvent, newStoredResult } from "../../packages/core/testing/src/storage/rows.ts"
import { tested } from "../../packages/core/testing/src/storage/TestedStore.ts"
import { untyped } from "../../packages/core/testing/src/untyped.ts"
import { LockViolation } from "./CommandLocks.ts"
import { withLockChecks } from "./withLockChecks.ts"

expectLogs('broke the lock rule "locked"')

type Store = Storage["Service"]

const pet = aPetRecord({ stock: aStock({ onHand: 5 }), lastMovement: 0 })
const order = anOrderRecord()
const apiKey = { ...newApiKey(1), key: { ...newApiKey(1, { scopes: ["admin"] }).key, id: 1 } }
const result = newStoredResult("once", { accountId: 0 })
const once = idempotencyKeys.keyOf(result)

/** Two categories, each with a pet, an order of each pet, and two accounts, one of them with a key. */
const fill = (opened: Store) => {
  const store = tested(opened)
  return store.run(function* (tx) {
    for (const id of [1, 2]) {
      yield* tx.categories.insert(aCategoryRecord({ name: `Dogs ${id}` }))
      yield* tx.pets.insert({ ...pet, categoryId: id })
      yield* tx.orders.insert({ ...order, order: { ...order.order, petId: id } })
    }
    yield* tx.accounts.insertAll([newAccount("Shop"), newAccount("Mill")])
    yield* tx.apiKeys.insert(apiKey)
  })
}

type Body = (tx: Transaction) => Command<unknown, unknown>

/** Makes these calls one after the other. */
const making = (...calls: ReadonlyArray<(tx: Transaction) => Answer<unknown>>): Body =>
  function* (tx) {
    for (const call of calls) yield* call(tx)
  }

/** Runs a command on a store that is filled; the exits of the command and of closing the store. */
const run = (
  command: CommandName | undefined,
  body: Body
): Effect.Effect<{ readonly exit: Exit.Exit<unknown, unknown>; readonly closed: Exit.Exit<void, unknown> }, unknown> =>
  Effect.gen(function* () {
    const adapter = memory()
    yield* Effect.provide(Effect.flatMap(Storage, fill), Layer.fresh(adapter.layer))
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.fresh(withLockChecks(adapter).layer), scope)
    const store = Context.get(context, Storage)
    const exit = yield* Effect.exit(store.run(body, command))
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
      readonly body: Body
      readonly violation: readonly [row: string, rule: LockViolation["rule"]]
    }
  >
> = {
  "finds a pet instead of locking it": {
    command: "orders.place",
    body: making((tx) => tx.find(pets, 1)),
    violation: ["pets 1", "locked"]
  },
  "lists pets": {
    command: "orders.place",
    body: making((tx) => tx.all(petsBy, { after: 0 }, 1)),
    violation: ['petsBy {"after":0}', "locked"]
  },
  "finds an account that another command may find": {
    command: "orders.place",
    body: making((tx) => tx.find(accounts, 1)),
    violation: ["accounts 1", "locked"]
  },
  "asks for the pets of a category under a shared lock": {
    command: "categories.delete",
    body: making(
      (tx) => tx.lockShared(categories, 1),
      (tx) => tx.all(petsInCategory, 1, 1)
    ),
    violation: ["petsInCategory 1", "locked"]
  },
  "asks for the pets of a category before it locks it": {
    command: "categories.delete",
    body: making(
      (tx) => tx.all(petsInCategory, 1, 1),
      (tx) => tx.lock(categories, 1)
    ),
    violation: ["petsInCategory 1", "locked"]
  },
  "locks pets before an order": {
    command: "orders.cancel",
    body: making(
      (tx) => tx.lock(pets, 1),
      (tx) => tx.lock(orders, 1)
    ),
    violation: ["orders 1", "ordered"]
  },
  "locks pets in descending order": {
    command: "orders.update",
    body: making(
      (tx) => tx.lock(pets, 2),
      (tx) => tx.lock(pets, 1)
    ),
    violation: ["pets 1", "ordered"]
  },
  "locks a key after it has asked for the admin keys": {
    command: "apiKeys.revoke",
    body: making(
      (tx) => tx.all(adminKeysAfter, 0, 1),
      (tx) => tx.lock(apiKeys, 1)
    ),
    violation: ["apiKeys 1", "ordered"]
  },
  "locks an idempotency key after a pet": {
    command: "orders.place",
    body: making(
      (tx) => tx.lock(pets, 1),
      (tx) => tx.lock(idempotencyKeys, once)
    ),
    violation: [`idempotency ${once}`, "ordered"]
  }
}

/** Calls that read without a lock. */
const reads: Readonly<Record<string, Body>> = {
  find: making((tx) => tx.find(pets, 1)),
  findAll: making((tx) => tx.findAll(pets, [1])),
  all: making((tx) => tx.all(petsBy, { after: 0 }, 1)),
  count: making((tx) => tx.count(petsBy, { after: 0 }, 1)),
  last: making((tx) => tx.last(events)),
  scan: making((tx) => tx.scan(events, 0, 1))
}

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
      for (const [name, read] of Object.entries(reads)) {
        const found = violationOf(yield* Effect.exit(store.run(read, "orders.place")))
        assert.isTrue(found instanceof LockViolation && found.rule === "locked", `${name}: ${found}`)
      }
    })
  )

  it.effect("given a transaction that takes every lock in order, then it succeeds", () =>
    Effect.gen(function* () {
      const { closed, exit } = yield* run("orders.update", function* (tx) {
        yield* tx.lock(idempotencyKeys, once)
        yield* tx.lock(orders, 1)
        yield* tx.lock(pets, 1)
        yield* tx.lock(pets, 2)
        yield* tx.lockShared(categories, 1)
        tx.save(orders, { ...order, order: { ...order.order, petId: 2 } })
        tx.save(pets, { ...pet, id: 2, categoryId: 1 })
        tx.append(events, [newEvent(1), newEvent(2)])
        tx.save(idempotencyKeys, result)
      })
      assert.deepStrictEqual([exit, closed], [Exit.void, Exit.void])
    })
  )

  it.effect("given a transaction that saves what it has inserted, then it succeeds", () =>
    Effect.gen(function* () {
      const { exit } = yield* run("pets.create", function* (tx) {
        const cats = yield* tx.insert(categories, (id) => categories.withId(aCategoryRecord({ name: "Cats" }), id))
        const tom = yield* tx.insert(pets, (id) => ({ ...pet, categoryId: cats.category.id, id }))
        yield* tx.find(pets, tom.id)
        tx.save(pets, { ...tom, version: 2 })
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
    await Effect.runPromiseExit(
      store.run(function* (tx) {
        return yield* tx.find(pets, 1)
      }, "orders.place")
    )
    const closed = await petstore.close().then(
      () => "closed",
      (error: unknown) => error
    )
    assert.instanceOf(closed, LockViolation)
  })
})
