import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import { Storage, traceparent } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

/** Records the spans in the order in which they began. */
const recorder = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const span: Tracer.Tracer["span"] = (options) => {
    const begun = new Tracer.NativeSpan(options)
    spans.push(begun)
    return begun
  }
  return { spans, trace: Effect.provideService(Tracer.Tracer, Tracer.make({ span })) }
}

describe("traces of a SQLite file", () => {
  it.effect(
    "given traced calls at once, then each event and message has the trace of the transaction that wrote it",
    () => {
      const { spans, trace } = recorder()
      const traced = Effect.gen(function* () {
        const { categories, messages, orders, pets } = yield* Petstore
        const { id: categoryId } = yield* categories.create({ name: "Cats" }).pipe(Effect.withSpan("opening day"))
        const { id: petId } = yield* pets.create({ name: "Tom", categoryId }).pipe(Effect.withSpan("arrival"))
        const [order, , message] = yield* Effect.all(
          [
            orders.place({ quantity: 2 }).pipe(Effect.withSpan("checkout")),
            orders.place({ quantity: 3 }),
            messages.enqueue("Hello").pipe(Effect.withSpan("greeting")),
            orders.place({ petId }).pipe(Effect.withSpan("checkout"))
          ],
          { concurrency: "unbounded" }
        )
        yield* orders.cancel(order.id).pipe(Effect.withSpan("regret"))
        const store = yield* Storage
        const found = (yield* store.events.scan(0, 100)).map((event) => [event.type, event[traceparent]])
        const of = (name: string, index = 0) => {
          const { spanId, traceId } =
            spans.filter((span) => span.name === `transaction ${name}`)[index] ?? assert.fail(name)
          return `00-${traceId}-${spanId}-01`
        }
        const created = of("pets.create")
        const last = of("orders.place", 1)
        assert.deepStrictEqual(found, [
          ["category.created", of("categories.create")],
          ["pet.created", created],
          ["inventory.updated", created],
          ["order.placed", of("orders.place")],
          ["order.placed", undefined],
          ["message.queued", of("messages.enqueue")],
          ["order.placed", last],
          ["inventory.updated", last],
          ["pet.status_changed", last],
          ["order.cancelled", of("orders.cancel")]
        ])
        assert.strictEqual((yield* store.find(tables.messages, message.id))?.trace, of("messages.enqueue"))
      })
      return Effect.flatMap(temporaryFile, (file) => Effect.provide(traced, Petstore.layer(sqlite(file))).pipe(trace))
    }
  )
})
