import { request } from "node:http"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { startServer } from "../../../test/support/TestServer.ts"

afterEach(() => vi.restoreAllMocks())

/** A server whose clock only the responses to the busy key move, by 400 ms each, and two keys. */
const contended = Effect.gen(function* () {
  const state = { now: 0, isBusy: (_actor: string | undefined): boolean => false }
  vi.spyOn(performance, "now").mockImplementation(() => state.now)
  const { runtime, keyWith, send, server } = yield* startServer({
    accessLog: ({ actor }) => {
      if (state.isBusy(actor)) state.now += 400
    }
  })
  const busy = yield* keyWith(["pets:read", "events:read"])
  const other = yield* keyWith(["pets:read"])
  // The first key has the first id.
  state.isBusy = (actor) => actor === "key:1"
  const sendAs = (key: string) => send("GET", "/v1/pets", { key })
  return { busy, runtime, other, sendAs, server, pass: () => (state.now += 10_000) }
})

describe("given a key that has taken more than its share of the event loop", () => {
  it.live("when another one is active, then its requests on any connection are served after those of the other", () =>
    Effect.gen(function* () {
      const { busy, other, pass, sendAs } = yield* contended
      const served: Array<string> = []
      const ask = (key: string, name: string) => Effect.tap(sendAs(key), () => Effect.sync(() => served.push(name)))
      yield* ask(busy, "busy")
      yield* ask(other, "other")
      const waiting = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 8 }), () => ask(busy, "busy"), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      for (let count = 0; count < 12; count++) yield* ask(other, "other")
      assert.deepStrictEqual(served, ["busy", ...Array.from({ length: 13 }, () => "other")])
      const passing = setInterval(pass, 1)
      yield* Fiber.join(waiting)
      clearInterval(passing)
      assert.lengthOf(served, 22)
    })
  )

  it.live(
    "when another one is active, then its streams from the beginning of the log are read when it is its turn",
    () =>
      Effect.gen(function* () {
        const { busy, runtime, other, pass, sendAs, server } = yield* contended
        const count = 1_500
        for (let n = 0; n < count; n++)
          yield* Effect.orDie(Context.get(runtime, UseCaseRunner).call(useCases.categories.create, { name: `c${n}` }))
        yield* sendAs(other)
        const received = { events: 0 }
        const responses: Array<number | undefined> = []
        const stream = request(`${server.url}/v1/events/stream?after=0`, {
          headers: { authorization: `Bearer ${busy}` }
        })
        stream.on("response", (response) => {
          responses.push(response.statusCode)
          response.on("data", (bytes: Buffer) => {
            received.events += bytes.toString().split("\nid:").length - 1
          })
        })
        stream.on("error", () => {})
        stream.end()
        while (responses.length === 0) yield* Effect.sleep("1 millis")
        for (let n = 0; n < 30; n++) yield* sendAs(other)
        assert.deepStrictEqual([responses, received.events], [[200], 0])
        const passing = setInterval(pass, 1)
        while (received.events < count / 2) yield* Effect.sleep("5 millis")
        clearInterval(passing)
        stream.destroy()
      })
  )
})
