import { assert, describe, it } from "@effect/vitest"
import { UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { strangersClient } from "../../../test/support/eventSource.ts"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { until } from "../../../test/support/until.ts"

const create = ({ runtime }: TestServer, ...names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) => Context.get(runtime, UseCaseRunner).call(useCases.categories.create, { name }), {
    discard: true
  }).pipe(Effect.orDie)

const follow = (server: TestServer, query: string) =>
  strangersClient(`${server.server.url}/v1/events/stream?after=0${query}`, server.adminKey)

describe("a stream with an interval", () => {
  it.effect("given events after the first, then they are sent together, when the interval has passed", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const each = yield* follow(server, "")
      const merged = yield* follow(server, "&interval=100")
      yield* create(server, "Cats")
      yield* until("the first event", () => merged.seqs.length === 1)
      yield* create(server, "Dogs", "Fish", "Birds")
      yield* until("the events of the other stream", () => each.seqs.length === 4)
      assert.deepStrictEqual(merged.seqs, [1])
      yield* TestClock.adjust("100 millis")
      yield* until("the others", () => merged.seqs.length === 4)
      assert.deepStrictEqual(merged.seqs, [1, 2, 3, 4])
      each.source.close()
      merged.source.close()
    })
  )

  it.effect("given a server whose streams are all taken, then it finds a place, and takes none from others", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ streamLimit: 2 })
      const statusOf = (query: string) =>
        Effect.promise(async () => {
          const abort = new AbortController()
          const response = await fetch(`${server.server.url}/v1/events/stream?after=0${query}`, {
            headers: { authorization: `Bearer ${server.adminKey}` },
            signal: abort.signal
          })
          return { status: response.status, abort }
        })
      const opened = []
      for (const query of ["&interval=100", "", "&interval=100", ""]) opened.push(yield* statusOf(query))
      assert.deepStrictEqual(
        opened.map(({ status }) => status),
        [200, 200, 200, 200]
      )
      for (const query of ["", "&interval=100"]) assert.strictEqual((yield* statusOf(query)).status, 429)
      for (const { abort } of opened) abort.abort()
    })
  )
})
