import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { methodInputs } from "../domain/methodInputs.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore } from "./EffectPetstore.ts"
import type { PetstoreApi } from "./PetstoreApi.ts"

const misplaced = async (call: Promise<unknown>): Promise<void> => {
  const reason = await call.then(
    () => assert.fail("It succeeded"),
    (error: unknown) => error
  )
  assert.instanceOf(reason, TypeError)
  assert.match(String(reason), /called the petstore instead of its argument/)
}

const orderCount = async ({ orders }: PetstoreApi): Promise<number> => (await orders.list()).items.length

const names = Object.entries(methodInputs).flatMap(([group, inputs]) =>
  Object.keys(inputs).map((name) => [group, name] as const)
)

const call = (petstore: object, group: string, name: string): Promise<unknown> =>
  Reflect.apply(Reflect.get(Reflect.get(petstore, group), name), petstore, [])

describe("given a function of petstore.transaction that calls the petstore instead of its argument", () => {
  it.each(names)("when it calls %s.%s, then the call rejects, also as a user", async (group, name) => {
    await using petstore = await createPetstore()
    await petstore.transaction(async () => {
      await misplaced(call(petstore, group, name))
      await misplaced(call(petstore.as({ user: "ada" }), group, name))
    })
  })

  it("when it reads events, or begins another transaction, then the call rejects", async () => {
    await using petstore = await createPetstore()
    await petstore.transaction(async () => {
      for (const { events } of [petstore, petstore.as({ user: "ada" })]) {
        await misplaced(events.latest())
        await misplaced(events.list())
        await misplaced(events.all()[Symbol.asyncIterator]().next())
      }
      await misplaced(petstore.transaction(async (tx) => tx.orders.place({})))
    })
  })

  it("when the call comes late, from a function of it, in a part, or is not awaited, then it rejects", async () => {
    await using petstore = await createPetstore()
    const unawaited: Array<Promise<void>> = []
    await petstore.transaction(async (tx) => {
      await tx.orders.place({})
      await misplaced(petstore.orders.place({}))
      await new Promise((resolve) => setTimeout(resolve, 1))
      await misplaced(Promise.all([1].map(() => petstore.orders.place({}))))
      await tx.transaction(async (part) => {
        await part.orders.place({})
        await misplaced(petstore.orders.place({}))
        await part.transaction(async () => misplaced(petstore.orders.place({})))
      })
      await misplaced(petstore.orders.place({}))
      unawaited.push(misplaced(petstore.orders.place({})))
    })
    await Promise.all(unawaited)
    assert.strictEqual(await orderCount(petstore), 2)
  })

  it("when the transaction runs again, or has ended by its timeout, then it rejects, too", async () => {
    await using petstore = await createPetstore()
    const petId = (
      await petstore.pets.create({ name: "Tom", categoryId: (await petstore.categories.create({ name: "Cats" })).id })
    ).id
    const gone = Promise.withResolvers<void>()
    const changed = gone.promise.then(() => petstore.pets.update(petId, { name: "Tim" }))
    let runs = 0
    await petstore.transaction(
      async (tx) => {
        await tx.pets.get(petId)
        await misplaced(petstore.orders.place({}))
        gone.resolve()
        await changed
        runs++
      },
      { retries: 1 }
    )
    assert.strictEqual(runs, 2)
    const late = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const timedOut = petstore.transaction(
      async () => {
        await ended.promise
        late.resolve(misplaced(petstore.orders.place({})))
      },
      { timeout: 1 }
    )
    await timedOut.catch(() => ended.resolve())
    await late.promise
    assert.strictEqual(await orderCount(petstore), 0)
  })
})

describe("given a function of petstore.transaction", () => {
  it("when it passes its argument, or calls another petstore, then the calls are made", async () => {
    await using petstore = await createPetstore()
    await using other = await createPetstore()
    await petstore.transaction(async (tx) => {
      await petstore.orders.place({}, { transaction: tx })
      await other.orders.place({})
      await other.transaction(async (inner) => {
        await inner.orders.place({})
        await tx.orders.place({})
        await misplaced(petstore.orders.place({}))
        await misplaced(other.orders.place({}))
      })
      await other.orders.place({})
    })
    assert.deepStrictEqual([await orderCount(petstore), await orderCount(other)], [2, 3])
  })

  it("when others call the petstore meanwhile, then their calls are made", async () => {
    await using petstore = await createPetstore()
    const [begun, called] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ends = [
      petstore.transaction(async () => {
        begun.resolve()
        await called.promise
        await misplaced(petstore.orders.place({}))
      }),
      begun.promise.then(() => petstore.orders.place({}))
    ]
    await ends[1]
    await petstore.orders.place({})
    called.resolve()
    await Promise.all(ends)
    assert.strictEqual(await orderCount(petstore), 2)
  })

  it("when it has ended, then what it has left behind may call the petstore", async () => {
    await using petstore = await createPetstore()
    const ended = Promise.withResolvers<void>()
    const left = await petstore.transaction(async () => [ended.promise.then(() => petstore.orders.place({}))])
    ended.resolve()
    await Promise.all(left)
    // While another transaction runs.
    const late = Promise.withResolvers<void>()
    const [later] = await petstore.transaction(async () => [late.promise.then(() => petstore.orders.place({}))])
    await petstore.transaction(async () => {
      late.resolve()
      await later
    })
    assert.strictEqual(await orderCount(petstore), 2)
  })

  it("when it opens a subscription, a consumer, or adds a message, then their functions may call the petstore", async () => {
    const [heard, consumed, sent] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const petstore = await createPetstore({
      onMessage: async () => {
        await petstore.orders.place({ quantity: 3 })
        sent?.resolve()
      }
    })
    await petstore.messages.enqueue("Before")
    await petstore.transaction(async (tx) => {
      const types = ["message.queued"] as const
      await petstore.events.subscribe(
        async () => {
          await petstore.orders.place({ quantity: 1 })
          heard?.resolve()
        },
        { types, after: 0 }
      )
      await petstore.events.consume(
        "mail",
        async () => {
          await petstore.orders.place({ quantity: 2 })
          consumed?.resolve()
        },
        { types, after: 0 }
      )
      await Promise.all([heard?.promise, consumed?.promise, sent?.promise])
      await misplaced(petstore.orders.place({}))
      await tx.categories.create({ name: "After" })
    })
    await petstore.close()
  })

  it("when the platform has no asynchronous contexts, then nothing is found, and it works", async () => {
    const { getBuiltinModule } = process
    Object.assign(process, { getBuiltinModule: undefined })
    try {
      const { TransactionBody } = await import(`../transactions/TransactionBody.ts?${"without"}`)
      const body = new TransactionBody({})
      assert.strictEqual(await body.call(async () => 1), 1)
    } finally {
      Object.assign(process, { getBuiltinModule })
    }
  })
})

describe("given an effect of petstore.transaction that uses the petstore instead of its argument", () => {
  it.effect("then the calls die, and nothing is changed", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const dies = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.exit(effect), (exit) => {
          const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          assert.match(String(defect), /TypeError.*called the petstore instead of its argument/)
        })
      yield* petstore.transaction((tx) =>
        Effect.gen(function* () {
          yield* tx.orders.place({})
          yield* dies(petstore.orders.place({}))
          yield* dies(petstore.as({ user: "ada" }).orders.list())
          yield* dies(petstore.events.latest)
          yield* dies(petstore.events.list())
          yield* dies(petstore.transaction(() => Effect.void))
          yield* tx.transaction(() => dies(petstore.orders.place({})))
          yield* tx.transaction((part) => part.orders.place({}))
        })
      )
      assert.lengthOf((yield* petstore.orders.list()).items, 2)
      yield* petstore.orders.place({})
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect(
    "when it runs a call as a promise or in another fiber, then that dies, until the transaction has ended",
    () =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const ways: Readonly<Record<string, (call: Effect.Effect<unknown, unknown>) => Promise<unknown>>> = {
          "as a promise": (call) => Effect.runPromise(call),
          "as a promise, later": async (call) => {
            await new Promise(setImmediate)
            return Effect.runPromise(call)
          },
          "in a fiber": (call) => Effect.runPromise(Fiber.join(Effect.runFork(call)))
        }
        const calls = {
          place: () => petstore.orders.place({}),
          "place as a user": () => petstore.as({ user: "ada" }).orders.place({}),
          list: () => petstore.orders.list(),
          "list events": () => petstore.events.list(),
          transaction: () => petstore.transaction((tx) => tx.orders.place({}))
        }
        const left = yield* petstore.transaction(() =>
          Effect.gen(function* () {
            for (const run of Object.values(ways)) {
              for (const made of Object.values(calls)) yield* Effect.promise(() => misplaced(run(made())))
            }
            return petstore.orders.place({})
          })
        )
        assert.lengthOf((yield* petstore.orders.list()).items, 0)
        yield* left
        assert.lengthOf((yield* petstore.orders.list()).items, 1)
      }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("when others use the petstore in fibers of theirs, which it resumes, then their calls are made", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const asked = yield* Deferred.make<void>()
      const other = yield* Effect.forkChild(Effect.andThen(Deferred.await(asked), petstore.orders.place({})), {
        startImmediately: true
      })
      yield* petstore.transaction((tx) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(asked, undefined)
          yield* Fiber.join(other)
          yield* tx.orders.place({})
        })
      )
      assert.lengthOf((yield* petstore.orders.list()).items, 2)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("when a consumer that it has opened handles events meanwhile, then that may use the petstore", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const handled = yield* Deferred.make<void>()
      yield* petstore.messages.enqueue("Before")
      yield* Effect.scoped(
        petstore.transaction(() =>
          Effect.gen(function* () {
            const place = () => Effect.andThen(petstore.orders.place({}), Deferred.succeed(handled, undefined))
            yield* petstore.events.consume("mail", place, { after: 0, types: ["message.queued"] })
            yield* Deferred.await(handled)
          })
        )
      )
      assert.lengthOf((yield* petstore.orders.list()).items, 1)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
