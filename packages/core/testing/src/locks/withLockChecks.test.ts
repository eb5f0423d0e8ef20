import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import { type CommandName, Storage, type Transaction } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { assertRejects } from "../assertRejects.ts"
import { aPetRecord, aStock } from "../builders.ts"
import { untyped } from "../untyped.ts"
import { LockViolation } from "./LockViolation.ts"
import { withLockChecks } from "./withLockChecks.ts"

type Store = Storage["Service"]

const stock = aStock({ onHand: 5 })

const at = "2030-01-01T00:00:00.000Z"

const pet = aPetRecord({ stock, lastMovement: 0 })

const key = { name: "Till", scopes: ["admin"], createdAt: at } as const

const digest = new Uint8Array(32)

/** Two categories, each with a pet, an order of each pet, and an account with a key. */
const fill = (store: Store) =>
  store.transact(
    Effect.gen(function* () {
      for (const id of [1, 2]) {
        yield* store.categories.insert({ category: { name: `Dogs ${id}` }, nameKey: `dogs ${id}`, version: 1 })
        yield* store.pets.insert({ ...pet, categoryId: id })
        yield* store.orders.insert({ order: { state: "open", petId: id, quantity: 1 }, version: 1 })
      }
      yield* store.accounts.insert({ name: "Shop", nameKey: "shop", createdAt: at })
      yield* store.accounts.insert({ name: "Mill", nameKey: "mill", createdAt: at })
      yield* store.apiKeys.insert({ key: { ...key, accountId: 1 }, digest, revoked: false })
    })
  )

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
    body: ({ pets }) => pets.find(1),
    violation: ["pets 1", "locked"]
  },
  "lists pets": {
    command: "orders.place",
    body: ({ pets }) => pets.list({ after: 0, limit: 1 }),
    violation: ["pets.list", "locked"]
  },
  "finds an account that another command may find": {
    command: "orders.place",
    body: ({ accounts }) => accounts.find(1),
    violation: ["accounts 1", "locked"]
  },
  "asks for the pets of a category under a shared lock": {
    command: "categories.delete",
    body: ({ categories, pets }) =>
      Effect.andThen(categories.lockShared(1), pets.list({ categoryId: 1, after: 0, limit: 1 })),
    violation: ["categories 1", "locked"]
  },
  "asks for the pets of a category before it locks it": {
    command: "categories.delete",
    body: ({ categories, pets }) =>
      Effect.andThen(pets.list({ categoryId: 1, after: 0, limit: 1 }), categories.lock(1)),
    violation: ["categories 1", "locked"]
  },
  "saves a pet that it has not locked": {
    command: "inventory.set",
    body: ({ pets }) => pets.saveStock({ ...pet, id: 1, categoryId: 1 }),
    violation: ["pets 1", "saved"]
  },
  "saves a pet when it has locked another": {
    command: "inventory.set",
    body: ({ pets }) => Effect.andThen(pets.lock(2), pets.save({ ...pet, id: 1, categoryId: 1 })),
    violation: ["pets 1", "saved"]
  },
  "saves an order that it has not locked": {
    command: "orders.update",
    body: ({ orders }) => orders.save({ id: 1, order: { state: "draft" }, version: 2 }),
    violation: ["orders 1", "saved"]
  },
  "saves a category under a shared lock": {
    command: "categories.update",
    body: ({ categories }) =>
      Effect.andThen(
        categories.lockShared(1),
        categories.save({ category: { id: 1, name: "Cats" }, nameKey: "cats", version: 2, deleted: false })
      ),
    violation: ["categories 1", "saved"]
  },
  "saves a key that it has not locked": {
    command: "apiKeys.rotate",
    body: ({ apiKeys }) => apiKeys.save({ key: { ...key, id: 1, accountId: 1 }, digest, revoked: false }),
    violation: ["apiKeys 1", "saved"]
  },
  "keeps a response under an idempotency key that it has not locked": {
    command: "messages.enqueue",
    body: ({ idempotency }) =>
      idempotency.save({
        ...{ accountId: 0, key: "once", operation: "messages.enqueue", fingerprint: digest, result: "{}" },
        createdAt: at
      }),
    violation: ["idempotency 0 once", "saved"]
  },
  "adds to the ledger of a pet that it has not locked": {
    command: "inventory.set",
    body: ({ movements }) =>
      movements.append({ petId: 1, seq: 1, kind: "set", deltaOnHand: 1, deltaReserved: 0, actor: "owner", at }),
    violation: ["pets 1", "saved"]
  },
  "adds to the ledger for an order that it has not locked": {
    command: "orders.update",
    body: ({ movements, pets }) =>
      Effect.andThen(
        pets.lock(1),
        movements.append({
          ...{ petId: 1, seq: 1, kind: "reserved", deltaOnHand: 0, deltaReserved: 1, actor: "owner", at },
          orderId: 1
        })
      ),
    violation: ["orders 1", "referenced"]
  },
  "adds a pet to a category that it has not locked": {
    command: "pets.create",
    body: ({ pets }) => pets.insert({ ...pet, categoryId: 1 }),
    violation: ["categories 1", "referenced"]
  },
  "moves a pet to a category that it has not locked": {
    command: "pets.update",
    body: ({ pets }) => Effect.andThen(pets.lock(1), pets.save({ ...pet, id: 1, categoryId: 2 })),
    violation: ["categories 2", "referenced"]
  },
  "places an order of a pet that it has not locked": {
    command: "orders.place",
    body: ({ orders }) => orders.insert({ order: { state: "open", petId: 1, quantity: 1 }, version: 1 }),
    violation: ["pets 1", "referenced"]
  },
  "moves an order to a pet that it has not locked": {
    command: "orders.update",
    body: ({ orders, pets }) =>
      orders
        .lock(1)
        .pipe(
          Effect.andThen(pets.lock(1)),
          Effect.andThen(orders.save({ id: 1, order: { state: "open", petId: 2, quantity: 1 }, version: 2 }))
        ),
    violation: ["pets 2", "referenced"]
  },
  "adds a key to an account that it has not read": {
    command: "apiKeys.create",
    body: ({ apiKeys }) => apiKeys.insert({ key: { ...key, accountId: 1 }, digest, revoked: false }),
    violation: ["accounts 1", "referenced"]
  },
  "moves a key to an account that it has not read": {
    command: "apiKeys.rotate",
    body: ({ apiKeys }) =>
      Effect.andThen(apiKeys.lock(1), apiKeys.save({ key: { ...key, id: 1, accountId: 2 }, digest, revoked: false })),
    violation: ["accounts 2", "referenced"]
  },
  "locks pets before an order": {
    command: "orders.cancel",
    body: ({ orders, pets }) => Effect.andThen(pets.lock(1), orders.lock(1)),
    violation: ["orders 1", "ordered"]
  },
  "locks pets in descending order": {
    command: "orders.update",
    body: ({ pets }) => Effect.andThen(pets.lock(2), pets.lock(1)),
    violation: ["pets 1", "ordered"]
  },
  "locks a pet after its category": {
    command: "pets.update",
    body: ({ categories, pets }) => Effect.andThen(categories.lockShared(1), pets.lock(1)),
    violation: ["pets 1", "ordered"]
  },
  "locks a key after it has asked for other admin keys": {
    command: "apiKeys.revoke",
    body: ({ apiKeys }) => Effect.andThen(apiKeys.otherAdminExists(1, at), apiKeys.lock(1)),
    violation: ["apiKeys 1", "ordered"]
  },
  "locks an idempotency key after a pet": {
    command: "orders.place",
    body: ({ idempotency, pets }) => Effect.andThen(pets.lock(1), idempotency.lock(0, "once")),
    violation: ["idempotency 0 once", "ordered"]
  },
  "locks a pet after it has appended an event": {
    command: "inventory.set",
    body: ({ events, pets }) =>
      Effect.andThen(
        events.append({ id: "evt_1", timestamp: at, type: "pet.deleted", subject: "pets/1", data: { id: 1 } }),
        pets.lock(1)
      ),
    violation: ["pets 1", "ordered"]
  },
  "locks a pet twice": {
    command: "orders.update",
    body: ({ pets }) => Effect.andThen(pets.lock(1), pets.lock(1)),
    violation: ["pets 1", "once"]
  },
  "finds an account twice": {
    command: "apiKeys.create",
    body: ({ accounts }) => Effect.andThen(accounts.find(1), accounts.find(1)),
    violation: ["accounts 1", "once"]
  },
  "locks without a name": { body: ({ pets }) => pets.lock(1), violation: ["pets 1", "named"] },
  "writes without a name": {
    body: ({ categories }) => categories.insert({ category: { name: "Cats" }, nameKey: "cats", version: 1 }),
    violation: ["categories.insert", "named"]
  }
}

/** What no command does, but the engine in the background, in transactions of its own. */
const inBackground = /^(?:events\.trim|checkpoints\.\w+)$/

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

  it.effect("given a statement that runs after the end of its transaction, then it dies", () =>
    Effect.gen(function* () {
      let late: Effect.Effect<unknown, unknown> = Effect.void
      yield* run("orders.place", ({ pets }) =>
        Effect.contextWith((context: Context.Context<Transaction>) => {
          late = Effect.provideContext(pets.find(1), context)
          return Effect.void
        })
      )
      const found = violationOf(yield* Effect.exit(late))
      assert.strictEqual(
        String(found),
        'LockViolation: orders.place broke the lock rule "ended" at pets 1. A statement must not run after the end of its transaction.'
      )
    })
  )

  /** An empty store that stays open, since closing it would report the violations again. */
  const neverClosed = Effect.gen(function* () {
    const services = yield* Layer.buildWithScope(withLockChecks(memory()).layer, yield* Scope.make())
    return Context.get(services, Storage)
  })

  /** A statement of each kind that the port has, by its name. */
  const statementsOf = (store: Store): ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> => {
    // Statements for many rows take a list of them.
    const row: never = untyped(Object.assign([{}], { key: {}, category: {}, order: {} }))
    const { accounts, apiKeys, categories, consumers, events, idempotency, messages } = store
    const { movements, orders, parkedEvents, pets } = store
    const rows = {
      ...{ accounts, apiKeys, categories, consumers, events, idempotency, messages },
      ...{ movements, orders, parkedEvents, pets }
    }
    return Object.entries(rows).flatMap(([kind, statements]) =>
      Object.entries(statements).map(([name, statement]) => [
        `${kind}.${name}`,
        typeof statement === "function" ? Reflect.apply(statement, undefined, [row, row]) : statement
      ])
    )
  }

  it.effect("given any statement of the port that runs after the end of its transaction, then it dies", () =>
    Effect.gen(function* () {
      const store = yield* neverClosed
      const context = yield* store.transact(Effect.context<Transaction>(), "orders.place")
      const statements = statementsOf(store)
      assert.isAbove(statements.length, 40)
      for (const [name, statement] of statements) {
        const found = violationOf(yield* Effect.exit(Effect.provideContext(statement, context)))
        assert.isTrue(found instanceof LockViolation && found.rule === "ended", `${name}: ${found}`)
      }
    })
  )

  const isRead = (name: string): boolean =>
    /\.(find|findByName|findShown|list|listReplays|listShown|owners|scan|latest|count|nextDue|lowest)$/.test(name)

  it.effect("given any read that a command may not make without a lock, then it dies", () =>
    Effect.gen(function* () {
      const store = yield* neverClosed
      const reads = statementsOf(store).filter(([name]) => isRead(name))
      assert.isAbove(reads.length, 20)
      for (const [name, read] of reads) {
        const found = violationOf(yield* Effect.exit(store.transact(read, "orders.place")))
        assert.isTrue(found instanceof LockViolation && found.rule === "locked", `${name}: ${found}`)
      }
    })
  )

  it.effect("given any statement that locks or writes without a name, then it dies", () =>
    Effect.gen(function* () {
      const store = yield* neverClosed
      const writes = statementsOf(store).filter(([name]) => !isRead(name) && !inBackground.test(name))
      assert.isAbove(writes.length, 15)
      for (const [name, write] of writes) {
        const found = violationOf(yield* Effect.exit(store.transact(write)))
        assert.isTrue(found instanceof LockViolation && found.rule === "named", `${name}: ${found}`)
      }
    })
  )

  it.effect("given a transaction that takes every lock in order and saves what it has locked, then it succeeds", () =>
    Effect.gen(function* () {
      const { closed, exit } = yield* run("orders.update", ({ categories, events, idempotency, orders, pets }) =>
        Effect.gen(function* () {
          yield* idempotency.lock(0, "once")
          yield* orders.lock(1)
          yield* pets.lock(1)
          yield* pets.lock(2)
          yield* categories.lockShared(1)
          yield* orders.save({ id: 1, order: { state: "open", petId: 2, quantity: 1 }, version: 2 })
          yield* pets.save({ ...pet, id: 2, categoryId: 1 })
          for (const id of ["evt_1", "evt_2"]) {
            yield* events.append({ id, timestamp: at, type: "pet.deleted", subject: "pets/1", data: { id: 1 } })
          }
          yield* idempotency.save({
            ...{ accountId: 0, key: "once", operation: "orders.update", fingerprint: digest, result: "{}" },
            createdAt: at
          })
        })
      )
      assert.deepStrictEqual([exit, closed], [Exit.void, Exit.void])
    })
  )

  it.effect("given a transaction that saves what it has inserted, then it succeeds", () =>
    Effect.gen(function* () {
      const { exit } = yield* run("pets.create", ({ categories, pets }) =>
        Effect.gen(function* () {
          const categoryId = yield* categories.insert({ category: { name: "Cats" }, nameKey: "cats", version: 1 })
          const id = yield* pets.insert({ ...pet, categoryId })
          yield* pets.save({ ...pet, id, categoryId, version: 2 })
        })
      )
      assert.deepStrictEqual(exit, Exit.void)
    })
  )

  it.effect("given a body inside another, then each has locks of its own, and the outer one may read", () =>
    Effect.gen(function* () {
      const { exit } = yield* run(undefined, (store) => {
        const lock = store.transact(Effect.asVoid(store.pets.lock(1)), "inventory.set")
        return Effect.asVoid(Effect.all([lock, store.pets.find(1), lock, store.pets.find(1)]))
      })
      assert.deepStrictEqual(exit, Exit.void)
    })
  )

  it.effect("given reads outside of transactions and in snapshots, then they are free", () => {
    const adapter = memory()
    return Effect.gen(function* () {
      yield* Effect.provide(Effect.flatMap(Storage, fill), Layer.fresh(adapter.layer))
      const store = yield* Storage
      const twice = Effect.andThen(store.pets.find(1), store.pets.find(1))
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
    await Effect.runPromiseExit(store.transact(store.pets.find(1), "orders.place"))
    const closed = await petstore.close().then(
      () => "closed",
      (error: unknown) => error
    )
    assert.instanceOf(closed, LockViolation)
  })
})
