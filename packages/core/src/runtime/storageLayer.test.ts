import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { untyped } from "../../testing/src/untyped.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Hasher } from "../ports/Hasher.ts"
import { Storage } from "../ports/Storage.ts"
import { portableHasher } from "./portableHasher.ts"
import { layer as runtimeLayer } from "./Runtime.ts"

/** What opening an engine on a store ends with. */
const opening = (change: (store: Storage["Service"]) => object) => {
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => untyped(change(store)))
  ).pipe(Layer.provide(memory().layer))
  return Effect.scoped(Effect.exit(Layer.build(runtimeLayer({ name: "mine", layer }))))
}

const messageOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return assert.fail("It opened")
  const error = Cause.squash(exit.cause)
  return error instanceof TypeError ? error.message : assert.fail(String(error))
}

describe("given an adapter that does not implement the whole port", () => {
  it.effect("when it opens, then what it lacks is named", () =>
    Effect.gen(function* () {
      const message = messageOf(
        yield* opening(({ events: { latest: _, ...events }, watch: __, run: ___, ...store }) => ({
          ...store,
          events: { ...events, scan: "SELECT" }
        }))
      )
      assert.match(
        message,
        /^The storage adapter "mine" does not implement the port of this @petstore\/core: it lacks /
      )
      assert.include(message, "it lacks run, watch, events.latest, events.scan.")
    })
  )

  it.effect("when a group of operations is not there, then each of them is named", () =>
    Effect.gen(function* () {
      const without = opening(({ events: _, ...store }) => store)
      assert.include(messageOf(yield* without), "it lacks events, events.latest, events.scan, events.find.")
    })
  )

  it.effect("when it opens something else, then the error reports it", () =>
    Effect.gen(function* () {
      const layer = untyped(Layer.succeed(Hasher, portableHasher))
      const exit = yield* Effect.scoped(Effect.exit(Layer.build(runtimeLayer({ name: "mine", layer }))))
      assert.include(messageOf(exit), "it lacks Storage itself.")
    })
  )

  it.effect("when it lacks what a store may lack, then it opens", () =>
    Effect.gen(function* () {
      assert.isTrue(Exit.isSuccess(yield* opening(({ backup: _, join: __, ...store }) => store)))
    })
  )
})

describe("given a value that is not an adapter", () => {
  it("when an engine is built on it, then the error says so at once", () => {
    for (const adapter of [undefined, null, "petstore.db", memory, {}, { name: "mine" }, { layer: null }]) {
      assert.throws(() => runtimeLayer(untyped(adapter)), TypeError, /is a storage adapter, such as memory\(\), not /)
    }
  })

  it("when its layer is of Effect 3, then it says so, and how to find out", () => {
    const layer = untyped({ [Symbol.for("effect/Layer")]: {} })
    assert.throws(
      () => runtimeLayer({ name: "mine", layer }),
      TypeError,
      /^The storage adapter "mine" is built on Effect 3; this @petstore\/core runs on effect 4\.\d+\.\d+\..*`npm ls effect`/
    )
  })

  it("when an engine is given options that it does not know, then it names those that it takes", () => {
    assert.throws(
      () => runtimeLayer(memory(), untyped({ rule: {} })),
      TypeError,
      /option rule; did you mean rules\? It takes rules/
    )
    assert.throws(() => runtimeLayer(memory(), untyped(null)), TypeError, /Petstore.layer takes an object of options/)
  })
})

describe("given a store that is an unfinished copy", () => {
  it.effect("when it opens, then it fails and says how to finish the copy; once finished, it opens", () =>
    Effect.gen(function* () {
      const adapter = memory()
      const open = Effect.scoped(Layer.build(runtimeLayer(adapter)))
      const restoring = (body: (store: Storage["Service"]) => Effect.Effect<void, unknown> | undefined) =>
        Effect.provide(
          Effect.flatMap(Storage, (store) => body(store) ?? Effect.die("It cannot be restored")),
          adapter.layer
        )
      yield* restoring(({ restore }) => restore?.step({ from: undefined, note: "half" }))
      const { _tag, message } = yield* Effect.flip(open)
      // Not StorageUnavailable: a server that waits for its database must not try again.
      assert.strictEqual(_tag, "InternalError")
      assert.include(message, "unfinished copy")
      assert.include(message, "run the same petstore copy again")
      yield* restoring(({ restore }) => restore?.finish)
      yield* open
    })
  )
})
