import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as TestClock from "effect/testing/TestClock"
import { saved, writtenTo } from "../../test/support/writes.ts"
import { running } from "../../test/webhooks/sending.ts"
import { InternalError, StorageFull } from "../domain/errors/ServiceErrors.ts"
import { queued } from "../domain/messages/MessageState.ts"
import { fail } from "../kernel/Command.ts"
import { memory } from "../memory/MemoryStorage.ts"
import { Petstore } from "../petstore/EffectPetstore.ts"
import { Storage } from "../ports/Storage.ts"
import type { WebhookOutcome, WebhookRequest, WebhookSender } from "../ports/WebhookSender.ts"
import { MessageDelivery, type MessageHandler } from "../runtime/messages/MessageDelivery.ts"
import { messages as messageTable } from "../tables/index.ts"

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

/** Opens a petstore in memory, with a sender of webhooks. */
const withSender =
  (webhooks?: WebhookSender["Service"]) =>
  <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
    Effect.suspend(() => Effect.provide(body, Petstore.layer(memory(), { webhooks })))

const withPetstore = withSender()

/** Opens a petstore in memory whose messages a handler delivers. */
const withHandler =
  (handler: MessageHandler) =>
  <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
    Effect.suspend(() =>
      Effect.provide(body, Layer.provideMerge(MessageDelivery.layer(handler), Petstore.layer(memory())))
    )

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

  for (const failure of [StorageFull, InternalError]) {
    const error = new failure({}, { cause: new Error("Canary") })
    it.effect(`when the store fails with ${error.code}, then the spans show it as an error`, () => {
      const { shown, trace } = recorder()
      return Effect.gen(function* () {
        const { run } = yield* Storage
        const failing = run(function* () {
          return yield* fail(error)
        })
        yield* Effect.exit(failing).pipe(Effect.withSpan("job"))
        const transaction = shown()[1]
        assert.strictEqual(transaction?.name, "transaction transaction")
        assert.strictEqual(transaction?.attributes["error.type"], error.code)
        assert.isTrue(transaction?.failed)
        assert.notInclude(JSON.stringify(shown()), "Canary")
      }).pipe(withPetstore, trace)
    })
  }
})

describe("given a job of the app that is interrupted", () => {
  it.effect("when it waits for the store, then every span ends", () => {
    const { shown, spans, trace } = recorder()
    const hanging = running((_, run) => Effect.andThen(run, Effect.never))
    return Effect.gen(function* () {
      const { categories } = yield* Petstore
      const fiber = yield* Effect.forkChild(categories.create({ name: "Cats" }).pipe(Effect.withSpan("job")))
      yield* settle
      yield* Fiber.interrupt(fiber)
      yield* settle
      assert.deepStrictEqual(
        shown()
          .map(({ name }) => name)
          .slice(0, 2),
        ["job", "categories.create"]
      )
      for (const { name, status } of spans) assert.strictEqual(status._tag, "Ended", name)
    }).pipe(Effect.provide(Petstore.layer(hanging)), trace)
  })
})

describe("given a command of the app", () => {
  const ends = {
    failure: () => fail("Canary"),
    defect: () => {
      throw new Error("Canary")
    }
  }
  for (const [type, end] of Object.entries(ends)) {
    it.effect(
      `when it ends with a ${type}, then the span says so, ${type === "defect" ? "as" : "and not as"} an error`,
      () => {
        const { shown, trace } = recorder()
        return Effect.gen(function* () {
          const { run } = yield* Storage
          const ended = run(function* () {
            return yield* end()
          })
          yield* Effect.exit(ended).pipe(Effect.withSpan("job"))
          const transaction = shown()[1]
          assert.deepStrictEqual(
            [transaction?.attributes["error.type"], transaction?.failed],
            [type, type === "defect"]
          )
          assert.notInclude(JSON.stringify(shown()), "Canary")
        }).pipe(withPetstore, trace)
      }
    )
  }
})

const at = "2026-05-04T09:30:00.000Z"

/** Lets background work happen. Notifications use real timers. */
const settle = Effect.repeat(
  Effect.andThen(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    TestClock.adjust(1)
  ),
  { times: 30 }
)

/** A sender with these outcomes, one after the other, and then with success; `sent` are its requests. */
const senderOf = (outcomes: Array<WebhookOutcome> = []) => {
  const sent: Array<WebhookRequest> = []
  const sender: WebhookSender["Service"] = {
    send: (request) =>
      Effect.sync(() => {
        sent.push(request)
        return outcomes.shift() ?? { delivered: true, status: 204 }
      }),
    urlProblem: () => undefined
  }
  return { sender, sent }
}

/** The spans that one has links to. */
const linkedTo = (span: Tracer.Span | undefined) => span?.links.map(({ span }) => span.spanId)

const refused: WebhookOutcome = { delivered: false, reason: "status", status: 500, message: "The endpoint responded." }

describe("given a petstore with a tracer that works in the background", () => {
  it.effect(
    "when it delivers webhooks, then each attempt is a trace, without the path, the query and the secret",
    () => {
      const { shown, spans, trace } = recorder()
      return Effect.gen(function* () {
        const { categories, webhooks } = yield* Petstore
        const url = "https://hooks.example:8443/path-canary?token=query-canary"
        const { id, secret } = yield* webhooks.create({ url, types: ["category.created"] })
        yield* categories.create({ name: "Cats" })
        yield* settle
        yield* TestClock.adjust("10 seconds")
        yield* settle
        const [first, post, record, transaction, second, again] = shown()
        const delivery = {
          "petstore.webhook.id": id,
          "petstore.delivery.id": 1,
          "petstore.event.type": "category.created"
        }
        const request = {
          "http.request.method": "POST",
          "url.scheme": "https",
          "server.address": "hooks.example",
          "server.port": 8443
        }
        assert.deepInclude(first, { name: "webhooks.deliver", kind: "internal", parent: undefined, failed: false })
        assert.deepInclude(first?.attributes, { ...delivery, "petstore.delivery.outcome": "status" })
        assert.deepStrictEqual(post, {
          name: "POST",
          kind: "client",
          parent: spans[0]?.spanId,
          attributes: { ...request, "http.response.status_code": 500, "error.type": "500" },
          failed: true
        })
        assert.deepStrictEqual(record, {
          name: "record deliveries",
          kind: "internal",
          parent: undefined,
          attributes: { "petstore.webhook.id": id, "petstore.delivery.count": 1 },
          failed: false
        })
        assert.deepStrictEqual(linkedTo(spans[2]), [spans[0]?.spanId])
        assert.deepInclude(transaction, { name: "transaction deliveries.record", parent: spans[2]?.spanId })
        assert.deepInclude(second?.attributes, {
          "petstore.delivery.attempt": 2,
          "petstore.delivery.outcome": "delivered"
        })
        assert.deepStrictEqual(
          [again?.failed, again?.attributes],
          [false, { ...request, "http.response.status_code": 204, "http.request.resend_count": 1 }]
        )
        assert.notStrictEqual(spans[4]?.traceId, spans[0]?.traceId)
        const text = JSON.stringify(shown())
        for (const canary of ["canary", secret.slice("whsec_".length)]) assert.notInclude(text, canary)
      }).pipe(withSender(senderOf([refused]).sender), trace)
    }
  )

  it.effect(
    "when events were written in a trace, then what becomes of them links to it, and webhooks go on with it",
    () => {
      const { spans, trace } = recorder()
      const { sender, sent } = senderOf()
      return Effect.gen(function* () {
        const { categories, events, webhooks } = yield* Petstore
        yield* webhooks.create({ url: "https://hooks.example/", types: ["category.created"] })
        const listened: Array<unknown> = []
        yield* events.consume("invoices", (event) => Effect.sync(() => listened.push(event)))
        yield* categories.create({ name: "Cats" }).pipe(Effect.withSpan("checkout"))
        yield* categories.create({ name: "Dogs" })
        yield* settle
        const transaction = spans.find(({ name }) => name === "transaction categories.create") ?? assert.fail()
        const linksOf = (name: string) =>
          spans
            .filter((span) => span.name === name)
            .map(({ links }) => links.map(({ span }) => [span.traceId, span.spanId]))
        const link = [transaction.traceId, transaction.spanId]
        assert.deepStrictEqual(linksOf("webhooks.deliver"), [[link], []])
        assert.deepStrictEqual(linksOf("process events").slice(-2), [[link], []])
        const posts = spans.filter(({ name }) => name === "POST")
        assert.deepStrictEqual(
          sent.map((request) => request.traceparent),
          posts.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`)
        )
        assert.notInclude(
          JSON.stringify([listened, (yield* events.list()).items, sent.map(({ body }) => body)]),
          transaction.traceId
        )
      }).pipe(Effect.scoped, withSender(sender), trace)
    }
  )

  it.effect(
    "when an event was written in a trace, and its delivery is not traced, then the webhook has that trace",
    () => {
      const { spans, trace } = recorder()
      const { sender, sent } = senderOf()
      return Effect.gen(function* () {
        const { categories, webhooks } = yield* Petstore
        yield* webhooks.create({ url: "https://hooks.example/", types: ["category.created"] })
        yield* trace(Effect.withSpan(categories.create({ name: "Cats" }), "checkout"))
        yield* categories.create({ name: "Dogs" })
        yield* settle
        const { spanId, traceId } = spans.find(({ name }) => name === "transaction categories.create") ?? assert.fail()
        assert.deepStrictEqual(
          sent.map((request) => request.traceparent),
          [`00-${traceId}-${spanId}-01`, undefined]
        )
      }).pipe(withSender(sender))
    }
  )

  it.effect("when a handler delivers a message, then its spans belong to the trace of the delivery", () => {
    const { shown, spans, trace } = recorder()
    const handler = ({ message }: { readonly message: string }) =>
      Effect.withSpan(message === "No" ? Effect.fail("Canary") : Effect.void, "print")
    return Effect.gen(function* () {
      const { messages } = yield* Petstore
      const { id } = yield* messages.enqueue("No")
      yield* settle
      const [process, print, record, transaction] = shown()
      assert.deepStrictEqual(process, {
        name: "process messages",
        kind: "consumer",
        parent: undefined,
        attributes: {
          "messaging.system": "petstore",
          "messaging.operation.name": "process",
          "messaging.operation.type": "process",
          "messaging.destination.name": "messages",
          "messaging.message.id": id,
          "petstore.message.attempt": 1,
          "error.type": "failure"
        },
        failed: true
      })
      assert.deepInclude(print, { name: "print", parent: spans[0]?.spanId })
      assert.deepInclude(record, { name: "record messages", kind: "internal", parent: undefined })
      assert.deepInclude(record?.attributes, {
        "messaging.operation.type": "settle",
        "messaging.batch.message_count": 1
      })
      assert.deepStrictEqual(linkedTo(spans[2]), [spans[0]?.spanId])
      assert.deepInclude(transaction, { name: "transaction messages.finish", parent: spans[2]?.spanId })
    }).pipe(withHandler(handler), trace)
  })

  it.effect(
    "when a traced call queues a message, then its delivery links to that call, and shows nobody the trace",
    () => {
      const { spans, trace } = recorder()
      const heard: Array<unknown> = []
      const handler = (message: unknown) => Effect.sync(() => heard.push(message))
      return Effect.gen(function* () {
        const { events, messages } = yield* Petstore
        const store = yield* Storage
        const { id } = yield* messages.enqueue("Traced").pipe(Effect.withSpan("checkout"))
        yield* settle
        const record = (yield* store.find(messageTable, id)) ?? assert.fail()
        const failed = {
          ...queued(id, "Traced", at),
          lease: record.lease,
          status: "failed" as const,
          finishedAt: at,
          lastError: "No"
        }
        yield* writtenTo(store, [saved(messageTable, failed, record)])
        yield* messages.requeue(id).pipe(Effect.withSpan("repair"))
        yield* settle
        yield* messages.enqueue("Untraced")
        yield* settle
        const contextOf = ({ spanId, traceId }: Tracer.AnySpan) => [traceId, spanId]
        const named = (name: string) => spans.filter((span) => span.name === name)
        assert.deepStrictEqual(
          named("process messages").map(({ links }) => links.map(({ span }) => contextOf(span))),
          [
            named("transaction messages.enqueue").slice(0, 1).map(contextOf),
            named("transaction messages.requeue").map(contextOf),
            []
          ]
        )
        const shown = JSON.stringify([heard, yield* messages.list(), (yield* events.list()).items])
        for (const { traceId } of spans) assert.notInclude(shown, traceId)
      }).pipe(withHandler(handler), trace)
    }
  )

  it.effect("when a consumer handles events, then each is a trace, and one that fails is an error", () => {
    const { shown, spans, trace } = recorder()
    return Effect.gen(function* () {
      const { categories, events } = yield* Petstore
      yield* events.consume("invoices", ({ subject }) =>
        Effect.withSpan(subject === "categories/2" ? Effect.die(new Error("Canary")) : Effect.void, "print")
      )
      yield* categories.create({ name: "Cats" })
      yield* categories.create({ name: "Dogs" })
      yield* settle
      const processed = shown().filter(({ name }) => name === "process events")
      assert.deepStrictEqual(
        processed.map(({ attributes, failed, parent }) => [parent, failed, attributes["error.type"]]),
        [
          [undefined, false, undefined],
          [undefined, true, "defect"]
        ]
      )
      assert.deepInclude(processed[0], { kind: "consumer" })
      assert.deepInclude(processed[0]?.attributes, {
        "messaging.consumer.group.name": "invoices",
        "petstore.event.type": "category.created",
        "petstore.consumer.attempt": 1
      })
      const print = shown().filter(({ name }) => name === "print")
      const processes = spans.filter(({ name }) => name === "process events")
      assert.deepStrictEqual(
        print.map(({ parent }) => parent),
        processes.map(({ spanId }) => spanId)
      )
    }).pipe(
      Effect.scoped,
      withPetstore,
      // Open for as long as the consumer is: not what its work belongs to.
      (body) => Effect.asVoid(Effect.withSpan(body, "program")),
      trace
    )
  })
})
