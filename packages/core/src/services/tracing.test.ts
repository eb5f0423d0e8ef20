import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { StorageFull } from "../domain/errors/ServiceErrors.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import { Storage } from "../ports/Storage.ts"

/** Records the spans that end, in the order in which they began. */
const recorder = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const shown = () =>
    spans.map((span) => ({
      name: span.name,
      kind: span.kind,
      parent: Option.match(span.parent, { onNone: () => undefined, onSome: (parent) => parent.spanId }),
      attributes: Object.fromEntries(span.attributes),
      failed: span.status._tag === "Ended" ? Exit.isFailure(span.status.exit) : "open"
    }))
  return { spans, shown, trace: Effect.provideService(Tracer.Tracer, tracer) }
}

const withPetstore = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory())))

describe("given a program with a tracer", () => {
  it.effect("when it calls a method within a span, then that has the method, and this its transaction", () => {
    const { shown, spans, trace } = recorder()
    return Effect.gen(function* () {
      const { categories } = yield* Petstore
      yield* categories.create({ name: "Cats" }).pipe(Effect.withSpan("checkout"))
      assert.deepStrictEqual(shown(), [
        { name: "checkout", kind: "internal", parent: undefined, attributes: {}, failed: false },
        {
          name: "categories.create",
          kind: "internal",
          parent: spans[0]?.spanId,
          attributes: {},
          failed: false
        },
        {
          name: "transaction categories.create",
          kind: "client",
          parent: spans[1]?.spanId,
          attributes: {
            "db.system.name": "memory",
            "db.operation.name": "categories.create",
            "petstore.commit.transactions": 1
          },
          failed: false
        }
      ])
    }).pipe(withPetstore, trace)
  })

  it.effect("when it has no span, then nothing is traced", () => {
    const { spans, trace } = recorder()
    return Effect.gen(function* () {
      yield* (yield* Petstore).categories.create({ name: "Cats" })
      assert.deepStrictEqual(spans, [])
    }).pipe(withPetstore, trace)
  })

  it.effect("when a call is rejected, then the span shows the code, no text of the caller, and no error", () => {
    const { shown, trace } = recorder()
    return Effect.gen(function* () {
      const { categories } = yield* Petstore
      yield* categories.create({ name: "Canary" })
      yield* Effect.exit(categories.create({ name: "Canary" })).pipe(Effect.withSpan("checkout"))
      const [, method, transaction] = shown()
      assert.strictEqual(method?.attributes["error.type"], "category_name_taken")
      assert.strictEqual(transaction?.attributes["error.type"], "category_name_taken")
      assert.deepStrictEqual([method?.failed, transaction?.failed], [false, false])
      assert.notInclude(JSON.stringify(shown()), "Canary")
    }).pipe(withPetstore, trace)
  })

  it.effect("when the store fails, then the spans show it as an error", () => {
    const { shown, trace } = recorder()
    return Effect.gen(function* () {
      const { transact } = yield* Storage
      yield* Effect.exit(transact(new StorageFull({}, { cause: new Error("Canary") }))).pipe(Effect.withSpan("job"))
      const transaction = shown()[1]
      assert.strictEqual(transaction?.name, "transaction transaction")
      assert.strictEqual(transaction?.attributes["error.type"], "storage_full")
      assert.isTrue(transaction?.failed)
      assert.notInclude(JSON.stringify(shown()), "Canary")
    }).pipe(withPetstore, trace)
  })
})
