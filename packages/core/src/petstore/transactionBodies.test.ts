import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { untyped } from "../../testing/src/untyped.ts"
import { methodInputs } from "../domain/methodInputs.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { OpenCommands } from "../programs/transactions/OpenCommands.ts"
import { Events } from "../runtime/events/Events.ts"
import { UseCaseRunner } from "../runtime/UseCaseRunner.ts"
import { useCases } from "../runtime/useCases.ts"
import { Verification } from "../runtime/verification/Verification.ts"
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

/** What a method needs to be called. Others take nothing here: they are refused before they look at it. */
const needed: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  backup: ["copy.db"],
  transaction: [async () => {}],
  "events.consume": ["mail", () => {}],
  "events.consumers.discard": ["mail", 1],
  "events.consumers.get": ["mail"],
  "events.consumers.parked": ["mail"],
  "events.consumers.remove": ["mail"],
  "events.consumers.replay": ["mail", 1],
  "events.subscribe": [() => {}]
}

/** Methods that do not act, but return what has methods. */
const makers: ReadonlyArray<string> = ["as", "within"]

/** Every method of an API by its path, such as `orders.place`. Properties that are effects are methods without arguments. */
const methodsOf = (api: object, prefix = ""): ReadonlyArray<readonly [string, () => unknown]> =>
  Reflect.ownKeys(api).flatMap((name): ReadonlyArray<readonly [string, () => unknown]> => {
    const value: unknown = Reflect.get(api, name)
    const path = `${prefix}${String(name)}`
    if (value === undefined || value === true || makers.includes(path)) return []
    if (typeof value === "function") return [[path, () => Reflect.apply(value, api, needed[path] ?? [])]]
    return Effect.isEffect(value) ? [[path, () => value]] : methodsOf(Object(value), `${path}.`)
  })

/** The outcome of what a method has returned: a promise, or an iterable whose first item stands for all. */
const outcomeOf = async (call: () => unknown): Promise<unknown> => {
  const returned = call()
  return Symbol.asyncIterator in Object(returned)
    ? (returned as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    : returned
}

/** The same of an effect or a stream. */
const effectOf = (call: () => unknown): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const returned = call()
    return Stream.isStream(returned)
      ? Stream.runHead(returned as Stream.Stream<unknown>)
      : Effect.scoped(returned as Effect.Effect<unknown>)
  })

const everyMethod = [
  ...Object.entries(methodInputs).flatMap(([group, inputs]) => Object.keys(inputs).map((name) => `${group}.${name}`)),
  ...["latest", "list", "all", "stream"].map((name) => `events.${name}`)
]

describe("given a function of petstore.transaction that calls the petstore instead of its argument", () => {
  it("when it calls any method, also as a user, then the call rejects, and the petstore stays as it is", async () => {
    await using petstore = await createPetstore()
    const { events, ...user } = petstore.as({ user: "ada" })
    const called = [petstore, { ...user, events }].map((api) => methodsOf(api))
    for (const methods of called) {
      assert.includeMembers(
        methods.map(([path]) => path),
        everyMethod
      )
      await petstore.transaction(async () => {
        for (const [path, call] of methods) {
          await misplaced(outcomeOf(call)).catch((error) => assert.fail(`${path}: ${error}`))
        }
      })
    }
    const stats = await petstore.stats()
    assert.deepStrictEqual([stats.events.latest, stats.events.subscribers, stats.consumers], [0, 0, []])
  })

  it("when it goes on with a loop over events that was begun before, then the loop rejects", async () => {
    await using petstore = await createPetstore()
    await petstore.orders.place({})
    const loop = petstore.events.stream({ after: 0 })[Symbol.asyncIterator]()
    await loop.next()
    await petstore.transaction(() => misplaced(loop.next()))
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

  it("when what it writes reaches a listener, a consumer and onMessage, then these may call the petstore", async () => {
    const [heard, consumed, sent] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const petstore = await createPetstore({
      onMessage: async () => {
        await petstore.orders.place({ quantity: 3 })
        sent?.resolve()
      }
    })
    const types = ["category.created"] as const
    await petstore.events.subscribe(
      async () => {
        await petstore.orders.place({ quantity: 1 })
        heard?.resolve()
      },
      { types }
    )
    await petstore.events.consume(
      "mail",
      async () => {
        await petstore.orders.place({ quantity: 2 })
        consumed?.resolve()
      },
      { types }
    )
    await using other = await createPetstore()
    await other.transaction(() =>
      petstore.transaction(async (tx) => {
        await tx.categories.create({ name: "Cats" })
        await tx.messages.enqueue("Hello")
      })
    )
    await petstore.transaction(async () => {
      await Promise.all([heard?.promise, consumed?.promise, sent?.promise])
      await misplaced(petstore.orders.place({}))
    })
    assert.strictEqual(await orderCount(petstore), 3)
    await petstore.close()
  })

  it("when the platform has no asynchronous contexts, then calls that it makes at once are found, and it works", async () => {
    const { getBuiltinModule } = process
    Object.assign(process, { getBuiltinModule: undefined })
    try {
      const { TransactionBody } = await import(`../programs/transactions/TransactionBody.ts?${"without"}`)
      const owner = {}
      const known: Array<boolean> = []
      const isKnown = (): void => void known.push(TransactionBody.isCalling(owner))
      const body = new TransactionBody(owner)
      const ended = body.call(async () => {
        isKnown()
        await Promise.resolve()
        isKnown()
        return 1
      })
      isKnown()
      assert.strictEqual(await ended, 1)
      const waiting = Effect.andThen(
        Effect.promise(async () => isKnown()),
        Effect.sync(isKnown)
      )
      await Effect.runPromise(body.effect(waiting))
      isKnown()
      assert.deepStrictEqual(known, [true, false, false, true, true, false])
    } finally {
      Object.assign(process, { getBuiltinModule })
    }
  })
})

describe("given an effect of petstore.transaction that uses the petstore instead of its argument", () => {
  const dies = <A, E>(effect: Effect.Effect<A, E>, what = "") =>
    Effect.map(Effect.exit(effect), (exit) => {
      const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.match(String(defect), /TypeError.*called the petstore instead of its argument/, what)
    })

  it.effect("when it is any of its effects and streams, also of a user, then that dies", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      for (const api of [petstore, petstore.as({ user: "ada" })]) {
        const methods = methodsOf(api)
        assert.includeMembers(
          methods.map(([path]) => path),
          everyMethod
        )
        yield* petstore.transaction(() =>
          Effect.forEach(methods, ([path, call]) =>
            Effect.andThen(
              dies(effectOf(call), path),
              Effect.promise(() => misplaced(Effect.runPromise(effectOf(call))))
            )
          )
        )
      }
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("when it is a use case of the services beneath, then that dies", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const { call } = yield* UseCaseRunner
      const events = yield* Events
      const { verify } = yield* Verification
      const uses: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
        place: call(useCases.orders.place, { quantity: 1 }),
        get: call(useCases.orders.get, 1),
        latest: events.latest,
        follow: Effect.scoped(events.follow(0)),
        verify
      }
      yield* petstore.transaction(() =>
        Effect.forEach(Object.entries(uses), ([name, use]) =>
          Effect.andThen(
            dies(use, name),
            Effect.promise(() => misplaced(Effect.runPromise(use)))
          )
        )
      )
      assert.lengthOf((yield* petstore.orders.list()).items, 0)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect(
    "when a program of it has a tracer, then that still traces, and nothing of the petstore is found twice",
    () =>
      Effect.gen(function* () {
        const petstore = yield* Petstore
        const names: Array<string> = []
        const tracer = Tracer.make({
          span: (options) => {
            names.push(options.name)
            return new Tracer.NativeSpan(options)
          }
        })
        const program = petstore.transaction((tx) =>
          Effect.andThen(
            Effect.withSpan(dies(petstore.orders.place({})), "own"),
            Effect.withSpan(tx.orders.place({}), "tx")
          )
        )
        yield* Effect.provideService(program, Tracer.Tracer, tracer)
        assert.includeMembers(names, ["own", "tx", "orders.place"])
      }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("then the calls die, and nothing is changed", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* petstore.transaction((tx) =>
        Effect.gen(function* () {
          yield* tx.orders.place({})
          yield* dies(petstore.orders.place({}))
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
          "in a fiber": (call) => Effect.runPromise(Fiber.join(Effect.runFork(call))),
          "in a program": (call) =>
            Effect.runPromise(
              Effect.gen(function* () {
                yield* Effect.yieldNow
                return yield* call
              })
            )
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

  it.effect("when a consumer handles events meanwhile, then that may use the petstore", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const begun = yield* Deferred.make<void>()
      const handled = yield* Deferred.make<void>()
      const place = () =>
        Deferred.await(begun).pipe(
          Effect.andThen(petstore.orders.place({})),
          Effect.andThen(Deferred.succeed(handled, undefined))
        )
      yield* petstore.messages.enqueue("Before")
      yield* petstore.events.consume("mail", place, { after: 0, types: ["message.queued"] })
      yield* petstore.transaction(() => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(handled)))
      assert.lengthOf((yield* petstore.orders.list()).items, 1)
    }).pipe(Effect.scoped, Effect.provide(Petstore.layer(memory())))
  )
})

describe("given an effect within a transaction of the app", () => {
  it.effect("when the storage is in memory, then it dies with what to open", () =>
    Effect.gen(function* () {
      const { categories, within } = yield* Petstore
      const exit = yield* Effect.exit(within(untyped({}))(categories.create({ name: "Dogs" })))
      assert.match(
        String(Exit.isFailure(exit) && Cause.squash(exit.cause)),
        /TypeError: This storage cannot join a host transaction\./
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )

  it.effect("when it calls what cannot join that, then it dies", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const inHost = Effect.provideService(OpenCommands, () => Effect.die("used"))
      const joining = [...Object.keys(methodInputs), "once"]
      for (const [path, call] of methodsOf(petstore)) {
        if (joining.includes(path.split(".")[0] ?? "")) continue
        const exit = yield* Effect.exit(inHost(effectOf(call)))
        assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /TypeError.*outside of it/, path)
      }
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})
