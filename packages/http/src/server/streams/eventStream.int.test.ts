import { assert, describe, it } from "@effect/vitest"
import { createPetstore, InvalidApiKey, memory } from "@petstore/core"
import { layer, UseCaseRunner, useCases } from "@petstore/core/runtime"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { cuttingProxy } from "../../../test/support/CuttingProxy.ts"
import { strangersClient } from "../../../test/support/eventSource.ts"
import { rawStream } from "../../../test/support/rawStream.ts"
import { startServer, type TestServer } from "../../../test/support/TestServer.ts"
import { until } from "../../../test/support/until.ts"

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

let names = 0
/** Commits events, one with each category. */
const commit = ({ runtime }: TestServer, count: number) =>
  Effect.forEach(
    from(1, count),
    () => Context.get(runtime, UseCaseRunner).call(useCases.categories.create, { name: `Category ${++names}` }),
    {
      concurrency: 32,
      discard: true
    }
  ).pipe(Effect.orDie)

/** A random number of bytes after which a connection is cut: the same ones in each run. */
const cuts = () => {
  let state = 7
  return (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return 200 + (state % 6_000)
  }
}

/** A clock on which time passes 60 times as fast, and that can be set. */
const fastClock = (clock: Clock.Clock) => {
  let offset = 0
  const read = { monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() * 60n }
  const settable = { currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + offset, ...read }
  return {
    clock: Object.assign(Object.create(clock), settable) as Clock.Clock,
    set: (hours: number) => {
      offset = hours * 3_600_000
    }
  }
}

describe("a stream of events", () => {
  it.live("given a quiet log, when the clock of the system is set back and forward, then heartbeats go on", () =>
    Effect.gen(function* () {
      const { clock, set } = fastClock(yield* Clock.Clock)
      const runtime = yield* Layer.build(layer(memory()))
      const server = yield* startServer({}, Context.add(runtime, Clock.Clock, clock))
      const { read, text } = yield* rawStream(server.server.port, server.adminKey)
      read()
      const beats = () => text().split(":\n\n").length - 1
      for (const hours of [0, -1, 1]) {
        set(hours)
        const before = beats()
        yield* until("a heartbeat", () => beats() > before + 1)
      }
    })
  )

  it.live(
    "given a stranger's client behind a proxy that cuts its connections, when events are committed, then it receives each once and in order",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        yield* commit(server, 20)
        const proxy = yield* cuttingProxy(server.server.port, cuts())
        const url = `http://127.0.0.1:${proxy.port}/v1/events/stream?after=0`
        const { seqs, source } = yield* strangersClient(url, server.adminKey)
        yield* commit(server, 40)
        yield* until("all events", () => seqs.length >= 60)
        assert.deepStrictEqual(seqs, from(1, 60))
        assert.isAbove(proxy.count(), 2)
        source.close()
      })
  )

  it.live(
    "given the typed client behind such a proxy, then its subscription receives each event once and in order",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const proxy = yield* cuttingProxy(server.server.port, cuts())
        const petstore = createClient({ baseUrl: `http://127.0.0.1:${proxy.port}/v1`, key: server.adminKey })
        const seqs: Array<number> = []
        const subscription = yield* Effect.promise(() =>
          petstore.events.subscribe(({ seq }) => seqs.push(seq), { after: 0 })
        )
        yield* commit(server, 100)
        yield* until("all events", () => subscription.position === 100)
        subscription.close()
        assert.deepStrictEqual(seqs, from(1, 100))
        assert.isAbove(proxy.count(), 3)
      })
  )

  it.live(
    "given a page of 40 to 60 KB, which Node.js takes without an event `drain`, then the next events follow",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const { call } = Context.get(server.runtime, UseCaseRunner)
        const description = "x".repeat(200)
        for (const number of from(1, 100))
          yield* Effect.orDie(call(useCases.categories.create, { name: `Long ${number}`, description }))
        const { seqs } = yield* strangersClient(`${server.server.url}/v1/events/stream?after=0`, server.adminKey)
        yield* until("the page", () => seqs.length >= 100)
        yield* commit(server, 10)
        yield* until("the next events", () => seqs.length >= 110)
        assert.deepStrictEqual(seqs, from(1, 110))
      })
  )

  it.live(
    "given a client that does not read, when 10,000 events are committed, then others receive them, and it does when it reads",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const slow = yield* rawStream(server.server.port, server.adminKey, "?after=0")
        const { seqs } = yield* strangersClient(`${server.server.url}/v1/events/stream?after=0`, server.adminKey)
        yield* commit(server, 10_000)
        yield* until("all events for the other", () => seqs.length >= 10_000)
        assert.deepStrictEqual(seqs, from(1, 10_000))
        assert.strictEqual(slow.text(), "")
        slow.read()
        yield* until("all events for the slow one", () => slow.text().includes("\nid: 10000\n") || slow.isClosed())
        const received = [...slow.text().matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq))
        assert.deepStrictEqual(received, from(1, 10_000))
      })
  )

  it.effect("given its key is revoked, then it ends within a second", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const raw = yield* rawStream(server.server.port, yield* server.keyWith(["events:read"]))
      raw.read()
      yield* until("the stream", () => raw.text().includes("retry"))
      yield* server.send("DELETE", "/v1/api-keys/1")
      yield* TestClock.adjust("1 second")
      yield* until("the last chunk", () => raw.text().endsWith("\r\n0\r\n\r\n"))
    })
  )

  it.live("given its key is revoked, then connecting again is rejected, and the streams of other keys go on", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const key = yield* server.keyWith(["events:read"])
      const other = yield* server.keyWith(["events:read"])
      const { errors } = yield* strangersClient(`${server.server.url}/v1/events/stream`, key)
      const kept = yield* strangersClient(`${server.server.url}/v1/events/stream`, other)
      yield* until("both are open", () => kept.source.readyState === 1)
      yield* server.send("DELETE", "/v1/api-keys/1")
      const raw = yield* rawStream(server.server.port, other)
      raw.read()
      yield* until("the end", () => errors.includes(401))
      yield* commit(server, 1)
      yield* until("the other goes on", () => kept.seqs.length === 1)
      assert.isFalse(raw.isClosed())
    })
  )

  it.live("given a subscription of the typed client whose key is revoked, then onError is called, and it ends", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const petstore = createClient({
        baseUrl: `${server.server.url}/v1`,
        key: yield* server.keyWith(["events:read"]),
        maxDelay: 50
      })
      const errors: Array<unknown> = []
      const seqs: Array<number> = []
      const { position } = yield* Effect.promise(() =>
        petstore.events.subscribe(({ seq }) => seqs.push(seq), {
          onError: (error, event) => errors.push([error instanceof InvalidApiKey, event])
        })
      )
      yield* commit(server, 1)
      yield* until("the first event", () => seqs.length === 1)
      yield* server.send("DELETE", "/v1/api-keys/1")
      yield* until("the error", () => errors.length > 0)
      yield* commit(server, 1)
      yield* Effect.sleep(200)
      assert.deepStrictEqual([errors, seqs], [[[true, undefined]], [position + 1]])
    })
  )

  it.live("given a server that stops, then its streams end at once, and the server does not wait for them", () =>
    Effect.gen(function* () {
      const begin = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startServer()
          const raw = yield* rawStream(server.server.port, server.adminKey)
          raw.read()
          yield* until("the stream is open", () => raw.text().includes("retry"))
          return performance.now()
        })
      )
      assert.isBelow(performance.now() - begin, 3_000)
    })
  )

  it.live("given as many streams as are allowed, then a further one is rejected, and other requests are not", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ streamLimit: 2, waitingLimit: 1 })
      const url = `${server.server.url}/v1/events/stream`
      const first = yield* strangersClient(url, server.adminKey)
      const second = yield* strangersClient(url, server.adminKey)
      yield* until("both are open", () => first.source.readyState === 1 && second.source.readyState === 1)
      const refused = yield* server.send("GET", "/v1/events/stream")
      assert.deepInclude(refused.body, {
        code: "too_many_streams",
        status: 429,
        message:
          "The server has 2 streams of events open, and no more are allowed. Try again later, or list the events.",
        details: { limit: 2, of: "server" }
      })
      assert.strictEqual(refused.headers.get("retry-after"), "5")
      assert.strictEqual((yield* server.send("GET", "/v1/pets")).status, 200)
      first.source.close()
      while ((yield* server.send("GET", "/v1/events/stream")).status === 429) yield* Effect.sleep(10)
    })
  )

  it.live(
    "given as many streams of a key as are allowed, then a further one is rejected, and those of others are not",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer({ streamsPerKey: 2, streamLimit: 4 })
        const greedy = yield* server.keyWith(["events:read"])
        const url = `${server.server.url}/v1/events/stream`
        const [first, second] = [yield* strangersClient(url, greedy), yield* strangersClient(url, greedy)]
        yield* until("both are open", () => first.source.readyState === 1 && second.source.readyState === 1)
        const ask = () => server.send("GET", "/v1/events/stream?after=0", { key: greedy })
        const refused = yield* ask()
        assert.deepInclude(refused.body, {
          code: "too_many_streams",
          status: 429,
          message: "You have 2 streams of events open, and no more are allowed. Close one of them first.",
          details: { limit: 2, of: "key" }
        })
        const [third, fourth] = [
          yield* strangersClient(url, server.adminKey),
          yield* strangersClient(url, server.adminKey)
        ]
        yield* until("two more are open", () => third.source.readyState === 1 && fourth.source.readyState === 1)
        first.source.close()
        while ((yield* ask()).status === 429) yield* Effect.sleep(10)
      })
  )

  it.live("given streams that are rejected, that fail or that are HEAD requests, then they do not count", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ streamsPerKey: 1 })
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* server.send("HEAD", "/v1/events/stream")).status, 200)
        assert.strictEqual((yield* server.send("GET", "/v1/events/stream?types=x")).status, 400)
      }
      const { source } = yield* strangersClient(`${server.server.url}/v1/events/stream`, server.adminKey)
      yield* until("it is open", () => source.readyState === 1)
      assert.strictEqual((yield* server.send("GET", "/v1/events/stream")).status, 429)
    })
  )

  it.live("given a position in Last-Event-ID, then it counts more than that of the query", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      yield* commit(server, 3)
      const stream = (headers: Readonly<Record<string, string>>) =>
        server.send("GET", "/v1/events/stream?after=0", { headers })
      for (const wrong of ["x", "-1", "1.5", "99999999999999999"]) {
        assert.deepInclude((yield* stream({ "last-event-id": wrong })).body, { code: "validation_failed" }, wrong)
      }
      const raw = yield* Effect.promise(() =>
        fetch(`${server.server.url}/v1/events/stream?after=0`, {
          headers: { authorization: `Bearer ${server.adminKey}`, "last-event-id": "2" }
        })
      )
      const reader = raw.body?.getReader()
      let text = ""
      while (!text.includes("id: 3")) {
        const part = yield* Effect.promise(async () => await reader?.read())
        text += new TextDecoder().decode(part?.value)
      }
      assert.notInclude(text, "id: 2")
      yield* Effect.promise(async () => await reader?.cancel())
      const head = yield* server.send("HEAD", "/v1/events/stream")
      assert.strictEqual(head.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(head.headers.get("cache-control"), "no-store, no-transform")
      assert.strictEqual(head.headers.get("x-accel-buffering"), "no")
      assert.isNull(head.headers.get("content-encoding"))
    })
  )
})

describe("a stream of events in a handler of the Fetch standard", () => {
  it.live(
    "given the typed client, when its subscription is closed or its loop is left, then nothing follows the log",
    () =>
      Effect.promise(async () => {
        await using petstore = await createPetstore()
        const key = "test-admin-key-0123456789"
        const handler = createHandler(petstore, { adminKey: key })
        const client = createClient({
          baseUrl: "http://shop.example/v1",
          key,
          fetch: (url, init) => handler.fetch(new Request(url, init))
        })
        const subscription = await client.events.subscribe(() => {})
        assert.strictEqual((await petstore.stats()).events.subscribers, 1)
        subscription.close()
        await petstore.categories.create({ name: "Dogs" })
        for await (const { seq } of client.events.stream({ after: 0 })) {
          assert.strictEqual(seq, 1)
          break
        }
        while ((await petstore.stats()).events.subscribers > 0) await new Promise((done) => setTimeout(done, 5))
      })
  )

  it.live("given a reader that leaves, then nothing follows the log any more", () =>
    Effect.gen(function* () {
      const petstore = yield* Effect.promise(() => createPetstore())
      const key = "test-admin-key-0123456789"
      const handler = createHandler(petstore, { adminKey: key })
      const response = yield* Effect.promise(() =>
        handler.fetch(
          new Request("http://shop.example/v1/events/stream?after=0", { headers: { authorization: `Bearer ${key}` } })
        )
      )
      assert.strictEqual(response.status, 200)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      const reader = response.body?.getReader()
      let text = ""
      while (!text.includes("category.created")) {
        const part = yield* Effect.promise(async () => await reader?.read())
        text += new TextDecoder().decode(part?.value)
      }
      assert.strictEqual((yield* Effect.promise(() => petstore.stats())).events.subscribers, 1)
      yield* Effect.promise(async () => await reader?.cancel())
      assert.strictEqual((yield* Effect.promise(() => petstore.stats())).events.subscribers, 0)
      yield* Effect.promise(() => handler.close())
      yield* Effect.promise(() => petstore.close())
    })
  )
})
