import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { untyped } from "../../testing/src/untyped.ts"
import { StorageFull } from "../domain/errors/ServiceErrors.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import { createPetstore } from "./createPetstore.ts"
import { runtimeOf } from "./openPetstore.ts"
import type { Petstore } from "./Petstore.ts"

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("Expected a rejection"),
    (error: unknown) => error
  )

const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await rejection(call)
  return error instanceof Error && "code" in error ? error.code : error
}

class Pool {
  connect() {}
  query() {}
}

describe("given options that createPetstore does not know", () => {
  const refusals: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{ stroage: memory() }, /does not know the option stroage; did you mean storage\? It takes storage/],
    [
      { storage: "petstore.db" },
      /is a storage adapter, such as memory\(\), not "petstore\.db"\. Write sqlite\("petstore\.db"\)/
    ],
    [{ storage: "postgres://ann:secret@db/shop" }, /not a string of 29 characters\. Write postgres\(url\)/],
    [{ storage: null }, /not null\. Write memory\(\), sqlite\("petstore\.db"\) or postgres\(url\)\.$/],
    [{ storage: memory }, /not a function\. Call the function that returns it\.$/],
    [{ storage: Promise.resolve(memory()) }, /not a promise: await it\./],
    [{ storage: [memory()] }, /not an array\. Write memory\(\)/],
    [{ storage: new DatabaseSync(":memory:") }, /not a DatabaseSync\. Write sqlite\(\{ database \}\)/],
    [{ storage: { prepare() {}, exec() {}, pragma() {} } }, /not an object\. Write sqlite\("petstore\.db"\)/],
    [{ storage: new Pool() }, /not a Pool\. Write postgres\(\{ pool \}\)/],
    [{ rules: { orders: () => undefined } }, /no rules for orders; there are newPet, petStatus, order, cancellation/],
    [{ rules: { order: "none" } }, /rules\.order takes a function, or a list of functions/],
    [{ retention: "90 days" }, /The option retention takes an object of options, such as \{ events:/],
    [
      { retention: { event: {} } },
      /option retention does not know the option event; did you mean events\? It takes events, undelivered, messages, deliver/
    ],
    [{ retention: { events: { for: "soon" } } }, /option for takes a duration, such as "30 seconds", .* not "soon"$/],
    [{ retention: { events: { count: 0 } } }, /option count takes a whole number of events, 1 or more, not 0$/],
    [{ retention: { messages: { count: 5 } } }, /retention.messages does not know the option count; it takes for$/],
    [
      { rules: Promise.resolve({}) },
      /The option rules takes an object with any of newPet, .* not a promise: await it$/
    ],
    [{ rules: new Map() }, /The option rules takes .* not a Map$/],
    [{ rules: { [Symbol("order")]: () => {} } }, /There are no rules for Symbol\(order\); there are newPet/],
    [{ metadata: Promise.resolve({}) }, /The option metadata takes .* not a promise: await it$/],
    [{ metadata: new Map() }, /The option metadata takes .* not a Map$/],
    [{ metadata: { [Symbol("pets")]: 1 } }, /The option metadata takes .* not an object$/],
    ...[{ send: () => {} }, { send: 1, urlProblem: () => {} }, { send: () => {}, urlProblem: 1 }].map(
      (webhooks): readonly [unknown, RegExp] => [{ webhooks }, /The option webhooks takes a sender of webhooks/]
    ),
    [memory(), /takes a storage adapter as an option: write createPetstore\({ storage }\)$/],
    ["petstore.db", /takes an object of options/],
    [null, /takes an object of options/]
  ]
  for (const [options, message] of refusals) {
    it(`when ${JSON.stringify(options)} is given, then the error names what it accepts`, async () => {
      const error = await rejection(createPetstore(untyped(options)))
      assert.instanceOf(error, TypeError)
      assert.match(String(error), message)
    })
  }
})

describe("given a second argument", () => {
  it("when a petstore is created, then it rejects, and shows the one that it takes", async () => {
    const create: (options: object, more: object) => Promise<unknown> = createPetstore as () => Promise<unknown>
    const error = await rejection(create({}, { storage: memory() }))
    assert.instanceOf(error, TypeError)
    assert.include(String(error), "{ storage }")
  })
})

describe("given something else than a function", () => {
  const calls: Readonly<Record<string, (petstore: Petstore, value: never) => unknown>> = {
    "events.subscribe takes a function that is called with each event": ({ events }, value) => events.subscribe(value),
    "events.consume takes a name and a function that handles each event": ({ events }, value) =>
      events.consume("mailer", value),
    "petstore.transaction takes a function": ({ transaction }, value) => transaction(value)
  }
  for (const [message, call] of Object.entries(calls)) {
    it(`when it is passed, then "${message}" is followed by what it is`, async () => {
      await using petstore = await createPetstore()
      for (const [value, text] of [
        [undefined, "not undefined"],
        [{ types: ["order.placed"] }, "not an object"],
        [Promise.resolve(), "not a promise: await it"]
      ] as const) {
        const error = await rejection((async () => call(petstore, untyped(value)))())
        assert.instanceOf(error, TypeError)
        assert.include(String(error), message)
        assert.include(String(error), text)
      }
    })
  }
})

describe("given a storage that fails to open", () => {
  it("when a petstore is created, then it rejects with that failure, and what was opened is closed", async () => {
    const events: Array<string> = []
    const opening = Effect.acquireRelease(
      Effect.sync(() => events.push("opened")),
      () => Effect.sync(() => events.push("closed"))
    )
    const full = new StorageFull({})
    const storage: StorageAdapter = {
      name: "broken",
      layer: Layer.effect(Storage, Effect.andThen(opening, Effect.fail(full)))
    }
    assert.strictEqual(await rejection(createPetstore({ storage })), full)
    assert.deepStrictEqual(events, ["opened", "closed"])
  })
})

describe("given a call that is still running", () => {
  it("when the petstore is closed, then closing waits for the call, and the call succeeds", async () => {
    const begun = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const wait = Effect.promise(() => {
      begun.resolve()
      return released.promise
    })
    const adapter = memory()
    const slow = Layer.effect(
      Storage,
      Effect.map(Layer.build(adapter.layer), (services) => {
        const store = Context.get(services, Storage)
        return {
          ...store,
          run: (begin, command) => Effect.andThen(wait, store.run(begin, command))
        }
      })
    )
    const petstore = await createPetstore({ storage: { ...adapter, layer: slow } })
    const call = petstore.categories.create({ name: "Dogs" })
    await begun.promise
    let closed = false
    const closing = petstore.close().then(() => {
      closed = true
    })
    // Enough for all that closing does when it has nothing to wait for.
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.isFalse(closed)
    released.resolve()
    assert.strictEqual((await call).name, "Dogs")
    await closing
  })
})

describe("given two petstores on one storage", () => {
  it("then they share its data, and closing one leaves the other", async () => {
    const storage = memory()
    const [first, second] = [await createPetstore({ storage }), await createPetstore({ storage })]
    const { id } = await first.categories.create({ name: "Dogs" })
    await first.close()
    assert.strictEqual((await second.categories.get(id)).name, "Dogs")
    await second.close()
  })
})

describe("given callers without types", () => {
  const withPet = async (use: (petstore: Petstore, petId: number) => Promise<void>) => {
    await using petstore = await createPetstore()
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await use(petstore, (await petstore.pets.create({ name: "Rex", categoryId })).id)
  }

  it("when a version is not a number, then it is a mistake and no conflict, which callers would retry", () =>
    withPet(async ({ pets }, petId) => {
      for (const ifVersion of ["1", "12", null, true, ["1"], {}, Number.NaN, 1.5, 0, -1]) {
        const call = pets.update(petId, { name: "Max" }, { ifVersion: untyped(ifVersion) })
        assert.strictEqual(await codeOf(call), "validation_failed")
      }
      const call = pets.update(petId, { name: "Max" }, { ifVersion: [] })
      assert.strictEqual(await codeOf(call), "precondition_failed")
      assert.strictEqual((await pets.get(petId)).name, "Rex")
    }))

  it("when an argument is missing, then the error names it, and shows what to write", () =>
    withPet(async ({ inventory, pets, records }) => {
      const calls: ReadonlyArray<readonly [Promise<unknown>, string]> = [
        [pets.get(untyped(undefined)), "/petId: Missing argument; write pets.get(petId)"],
        [pets.create(untyped(undefined)), "/body: Missing argument; write pets.create(input)"],
        [
          inventory.set(1, untyped(undefined)),
          "/body/quantity: Missing argument; write inventory.set(petId, quantity)"
        ],
        [records.get(untyped(undefined), 1), "/kind: Missing argument; write records.get(kind, "]
      ]
      for (const [call, message] of calls) {
        const error = await rejection(call)
        assert.include(String(error), message)
        assert.strictEqual(await codeOf(Promise.reject(error)), "validation_failed")
      }
    }))

  it("when options are null, then they count as absent", () =>
    withPet(async ({ orders, pets }, petId) => {
      assert.strictEqual((await pets.update(petId, { name: "Max" }, untyped(null))).name, "Max")
      assert.strictEqual((await orders.place({ petId }, untyped(null))).petId, petId)
      assert.strictEqual((await pets.get(petId, untyped(null))).status, "pending")
    }))

  it("when an input is null, then the method rejects and does not throw", () =>
    withPet(async ({ apiKeys, messages, pets }) => {
      assert.strictEqual(await codeOf(pets.list(untyped(null))), "validation_failed")
      assert.strictEqual(await codeOf(apiKeys.rotate(1, untyped(null))), "validation_failed")
      assert.strictEqual(await codeOf(messages.enqueue(untyped(null))), "validation_failed")
      const iterator = pets.all(untyped(null))[Symbol.asyncIterator]()
      assert.strictEqual(await codeOf(iterator.next()), "validation_failed")
    }))
})

describe("given a petstore that is not of createPetstore", () => {
  it("when its runtime is requested, then the error shows why there is none", async () => {
    const petstore = await createPetstore()
    assert.isDefined(runtimeOf(petstore))
    assert.throws(() => runtimeOf({ ...petstore }), /not a petstore of createPetstore/)
    for (const value of [undefined, null, "petstore.db", {}]) {
      assert.throws(() => runtimeOf(untyped(value)), TypeError, /not a petstore of createPetstore/)
    }
    await petstore.close()
  })
})

describe("given a second copy of this package", () => {
  it("when a petstore of it is served by the first, then it says how to have one copy", async () => {
    const copy = "./openPetstore.ts?copy"
    const second: typeof import("./openPetstore.ts") = await import(/* @vite-ignore */ copy)
    const petstore = await createPetstore()
    assert.notStrictEqual(second.runtimeOf, runtimeOf)
    assert.throws(() => second.runtimeOf(petstore), TypeError, /another copy of @petstore\/core\..* `npm dedupe`/)
    await petstore.close()
  })
})

describe("given options that a method does not have", () => {
  const calls: Readonly<Record<string, (petstore: Petstore, options: never) => unknown>> = {
    "categories.create": (petstore, options) => petstore.categories.create({ name: "Cats" }, options),
    "pets.all": (petstore, options) => petstore.pets.all({}, options)[Symbol.asyncIterator]().next(),
    verify: (petstore, options) => petstore.verify(options),
    "events.latest": (petstore, options) => petstore.events.latest(options),
    "events.list": (petstore, options) => petstore.events.list({}, options),
    "events.stream": async (petstore, options) => petstore.events.stream({}, options)
  }
  const refusals: ReadonlyArray<readonly [name: string, options: unknown, message: RegExp]> = [
    [
      "categories.create",
      { transation: {} },
      /^categories.create does not know the option transation; did you mean transaction\? It takes signal, transaction, idempotencyKey$/
    ],
    ["categories.create", { idempotency_key: "once" }, /does not know the option idempotency_key/],
    ["categories.create", "once", /^categories.create takes an object of options, such as { signal }, not "once"/],
    ["pets.all", { cursor: "x" }, /^pets.list does not know the option cursor/],
    ["verify", { transaction: {} }, /option transaction; it takes signal, record$/],
    ["events.latest", { transaction: {} }, /does not know the option transaction/],
    ["events.list", { transaction: {} }, /does not know the option transaction/],
    ["events.stream", { transaction: {} }, /does not know the option transaction/]
  ]
  for (const [name, options, message] of refusals) {
    it(`when ${name} gets ${JSON.stringify(options)}, then the error names its options, and nothing changes`, async () => {
      await using petstore = await createPetstore()
      const error = await rejection(Promise.resolve(calls[name]?.(petstore, untyped(options))))
      assert.instanceOf(error, TypeError)
      assert.match(error.message, message)
      assert.strictEqual(await petstore.events.latest(), 0)
    })
  }

  it("when those are undefined, then the call is as without them", async () => {
    await using petstore = await createPetstore()
    await petstore.messages.enqueue("Hi", untyped({ transaction: undefined, signal: undefined, other: undefined }))
    assert.strictEqual(await petstore.events.latest(), 1)
  })
})
