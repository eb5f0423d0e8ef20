import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { type IncomingMessage, ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { layer, UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rawStream } from "../../../test/support/rawStream.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { until } from "../../../test/support/until.ts"

const events = 10_000

/** More than all buffers of the operating system hold for one connection, once there are 10,000 of them. */
const description = "x".repeat(1_000)

/** What a server keeps for one client: 32 KiB, and 64 KiB of a page with the event that exceeds them, which takes this many bytes at most. */
const frame = 1_400
const bufferLimit = 32 * 1_024 + 64 * 1_024 + frame

/** The responses that servers of this process make from now on, until the scope closes. */
const responses = Effect.acquireRelease(
  Effect.sync(() => {
    const found: Array<ServerResponse<IncomingMessage>> = []
    const onRequest = (message: unknown) => {
      if (typeof message === "object" && message !== null && "response" in message) {
        if (message.response instanceof ServerResponse) found.push(message.response)
      }
    }
    subscribe("http.server.request.start", onRequest)
    return { found, onRequest }
  }),
  ({ onRequest }) => Effect.sync(() => unsubscribe("http.server.request.start", onRequest))
)

/** What runs, and a function by which time has passed; timers go on as before. */
const shiftedRuntime = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let offset = 0
  const later = (nanos: bigint) => nanos + BigInt(offset) * 1_000_000n
  const shifted: Clock.Clock = {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + offset,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + offset),
    currentTimeNanosUnsafe: () => later(clock.currentTimeNanosUnsafe()),
    currentTimeNanos: Effect.map(clock.currentTimeNanos, later),
    monotonicTimeNanosUnsafe: () => later(clock.monotonicTimeNanosUnsafe()),
    monotonicTimeNanos: Effect.map(clock.monotonicTimeNanos, later),
    sleep: (duration) => clock.sleep(duration)
  }
  const runtime = Context.add(yield* Layer.build(layer(memory())), Clock.Clock, shifted)
  return {
    runtime,
    shift: (millis: number) => {
      offset += millis
    }
  }
})

/** The `seq` of each event that a client has received as a whole. */
const receivedIn = (text: string) =>
  [...text.matchAll(/^id: (\d+)\nevent: [^\n]+\ndata: [^\n]+\n\n/gm)].map(([, seq]) => Number(seq))

describe("given a client of a stream that stops reading", () => {
  it.live(
    "when 10,000 events are committed, then little is held for it, it is cut after 30 seconds, and it resumes without a gap",
    () =>
      Effect.gen(function* () {
        const { runtime, shift } = yield* shiftedRuntime
        const { adminKey, server } = yield* startServer({}, runtime)
        const { found } = yield* responses
        const slow = yield* rawStream(server.port, adminKey, "?after=0")
        yield* until("the stream is open", () => found.length === 1 && found[0]?.headersSent === true)
        const [response] = found
        assert.isDefined(response)
        if (response === undefined) return

        let most = 0
        const { call } = Context.get(runtime, UseCaseRunner)
        for (let number = 1; number <= events; number++) {
          yield* Effect.orDie(call(useCases.categories.create, { name: `Category ${number}`, description }))
          most = Math.max(most, response.writableLength)
        }
        yield* until("something is held for it", () => response.writableLength > 32 * 1_024)
        yield* Effect.sleep(300)
        most = Math.max(most, response.writableLength)
        assert.isAtMost(most, bufferLimit)
        assert.isFalse(response.destroyed)

        shift(30_000)
        yield* until("it is cut", () => response.destroyed)
        slow.read()
        yield* until("it notices", slow.isClosed)
        const before = receivedIn(slow.text())
        const last = before.at(-1) ?? 0
        assert.isBelow(last, events, "it was cut before the end")

        const resumed = yield* rawStream(server.port, adminKey, "?after=0", last)
        resumed.read()
        yield* until("the rest", () => receivedIn(resumed.recent()).at(-1) === events)
        assert.deepStrictEqual(
          [...before, ...receivedIn(resumed.text())],
          Array.from({ length: events }, (_, index) => index + 1)
        )
      })
  )
})
