import { AsyncLocalStorage } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { type Scope, Unauthenticated } from "@petstore/core/domain"
import { layer, type Runtime, UseCaseRunner, useCases } from "@petstore/core/runtime"
import { type HandlerOptions, makeHandler } from "@petstore/http"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { until } from "../../../test/support/until.ts"

const scopes: ReadonlyArray<Scope> = ["events:read"]

/** A handler on a store in memory, with the clock of the test. */
const openHandler = (options: HandlerOptions) =>
  Effect.gen(function* () {
    const runtime = yield* Layer.build(Layer.merge(layer(memory()), Logger.layer([])))
    const inTestTime = Context.add(runtime, Clock.Clock, yield* Clock.Clock)
    return { runtime, handler: yield* Effect.provideContext(makeHandler(options), inTestTime) }
  })

type Handler = Effect.Success<ReturnType<typeof openHandler>>["handler"]

/** Opens a stream with this header. Returns what has been read of it. */
const openStream = (handler: Handler, name: string, value: string) =>
  Effect.promise(async () => {
    const request = new Request("http://shop.example/v1/events/stream", { headers: { [name]: value } })
    const { body, status } = await handler.fetch(request)
    assert.strictEqual(status, 200)
    const state = { text: "", isEnded: false }
    void (async () => {
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) state.text += piece
      state.isEnded = true
    })()
    return state
  })

/** Passes time for a stream, and lets what follows happen. */
const pass = (seconds: number) =>
  Effect.gen(function* () {
    for (let quarter = 0; quarter < seconds * 4; quarter++) {
      yield* TestClock.adjust("250 millis")
      yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
    }
  })

const cookie = (request: unknown): string => (request instanceof Request ? (request.headers.get("cookie") ?? "") : "")

describe("a stream that was opened with a session of the app", () => {
  const changing: Array<Scope> = [...scopes]
  const outcomes = {
    "it has ended": () => undefined,
    "it is of another user": () => ({ actor: "user:8", accountId: 2, scopes }),
    "it is of another account": () => ({ actor: "user:7", accountId: 3, scopes }),
    "it has fewer scopes": () => ({ actor: "user:7", accountId: 2, scopes: [] }),
    "it has more scopes": () => ({ actor: "user:7", accountId: 2, scopes: [...scopes, "pets:read" as const] }),
    "it has no account": () => ({ actor: "user:7", scopes }),
    "authenticate rejects it": () => Promise.reject(new Unauthenticated({})),
    "authenticate returns a text": () => JSON.parse('"user:7"'),
    "authenticate returns true": () => JSON.parse("true"),
    "authenticate returns a user without scopes": () => JSON.parse('{"actor":"user:7","accountId":2}'),
    "authenticate returns an unknown scope": () => JSON.parse('{"actor":"user:7","accountId":2,"scopes":["all"]}'),
    "authenticate returns no valid account": () => ({ actor: "user:7", accountId: Number.NaN, scopes }),
    "authenticate resolves to an empty actor": async () => ({ actor: "", accountId: 2, scopes }),
    "authenticate returns an object that throws": () => ({
      actor: "user:7",
      get scopes(): ReadonlyArray<Scope> {
        throw new Error("of the app")
      }
    }),
    "authenticate reads a session that is gone": async () => {
      const session: { readonly user: string } = JSON.parse('{"ended":true}')
      return { actor: session.user.trim(), scopes }
    },
    "the scopes change in place": () => {
      changing.length = 0
      return { actor: "user:7", accountId: 2, scopes: changing }
    }
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    it.effect(
      `when ${name}, then the stream ends within 6 seconds, before which nothing is asked, and others go on`,
      () =>
        Effect.gen(function* () {
          let isOver = false
          let asked = 0
          const { runtime, handler } = yield* openHandler({
            authenticate: (request) => {
              if (cookie(request) !== "ada") return { actor: "user:9", scopes }
              asked++
              return isOver ? outcome() : { actor: "user:7", accountId: 2, scopes: changing }
            }
          })
          const [ada, bob] = [yield* openStream(handler, "cookie", "ada"), yield* openStream(handler, "cookie", "bob")]
          yield* pass(4)
          assert.strictEqual(asked, 1)
          yield* pass(2)
          assert.deepStrictEqual([asked, ada.isEnded], [2, false])
          isOver = true
          yield* pass(6)
          yield* until("the end", () => ada.isEnded)
          yield* Context.get(runtime, UseCaseRunner).call(useCases.categories.create, { name: "Dogs" })
          yield* until("the event", () => bob.text.includes("category.created"))
          assert.deepStrictEqual([asked, ada.text.includes("category.created"), bob.isEnded], [3, false, false])
          yield* Effect.promise(() => handler.close())
        })
    )
  }

  it.effect("when the app demands a check, then it has ended when that completes", () =>
    Effect.gen(function* () {
      const sessions = new Set(["ada", "bob"])
      const { handler } = yield* openHandler({
        authenticate: (request) =>
          sessions.has(cookie(request)) ? { actor: `user:${cookie(request)}`, scopes } : undefined
      })
      const [ada, bob] = [yield* openStream(handler, "cookie", "ada"), yield* openStream(handler, "cookie", "bob")]
      sessions.delete("ada")
      yield* Effect.promise(() => handler.checkStreams())
      yield* until("the end", () => ada.isEnded)
      assert.isFalse(bob.isEnded)
      yield* Effect.promise(() => handler.close())
    })
  )

  it.effect("when a check is demanded while it opens, then it is checked as soon as it is open", () =>
    Effect.gen(function* () {
      let isSignedIn = true
      let answer = () => {}
      const { handler } = yield* openHandler({
        authenticate: () => {
          const principal = isSignedIn ? { actor: "user:7", scopes } : undefined
          return new Promise((resolve) => {
            answer = () => resolve(principal)
          })
        }
      })
      const opening = yield* Effect.forkChild(openStream(handler, "cookie", "ada"), { startImmediately: true })
      isSignedIn = false
      yield* Effect.promise(() => handler.checkStreams())
      answer()
      const ada = yield* Fiber.join(opening)
      yield* pass(0.5)
      answer()
      yield* until("the end", () => ada.isEnded)
      yield* Effect.promise(() => handler.close())
    })
  )

  const troubles = {
    throws: () => {
      throw new Error("The store of sessions is down")
    },
    "cannot fetch": () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })),
    "never returns": () => new Promise<undefined>(() => {})
  }
  for (const [name, trouble] of Object.entries(troubles)) {
    it.effect(`when authenticate ${name} for 20 seconds, then the stream goes on; when for 30, then it ends`, () =>
      Effect.gen(function* () {
        let isDown = false
        const { handler } = yield* openHandler({
          authenticate: () => (isDown ? trouble() : { actor: "user:7", scopes })
        })
        const ada = yield* openStream(handler, "cookie", "ada")
        isDown = true
        yield* pass(20)
        isDown = false
        yield* pass(20)
        assert.isFalse(ada.isEnded)
        isDown = true
        yield* pass(36)
        yield* until("the end", () => ada.isEnded)
        yield* Effect.promise(() => handler.close())
      })
    )
  }

  it.effect("when authenticate never returns, then whoever demands a check does not wait for that", () =>
    Effect.gen(function* () {
      let isDown = false
      const { handler } = yield* openHandler({
        authenticate: () => (isDown ? troubles["never returns"]() : { actor: "user:7", scopes })
      })
      const names = Array.from({ length: 100 }, (_, index) => String(index))
      const streams = yield* Effect.forEach(names, (name) => openStream(handler, "cookie", name))
      isDown = true
      yield* Effect.promise(() => handler.checkStreams())
      assert.isFalse(streams.some(({ isEnded }) => isEnded))
      yield* Effect.promise(() => handler.close())
    })
  )

  it.effect("given many, when one cannot be checked, then the others are", () =>
    Effect.gen(function* () {
      let isOver = false
      const { handler } = yield* openHandler({
        streamsPerKey: 1_000,
        authenticate: (request) => {
          if (!isOver) return { actor: "user:7", scopes }
          return cookie(request) === "0" ? new Promise<undefined>(() => {}) : undefined
        }
      })
      const streams = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => String(index)),
        (index) => openStream(handler, "cookie", index)
      )
      isOver = true
      yield* pass(6)
      yield* until("the ends", () => streams.filter(({ isEnded }) => isEnded).length === 199)
      yield* Effect.promise(() => handler.close())
    })
  )

  it.effect("given an AsyncLocalStorage of the app, then each check sees the store of its own request", () =>
    Effect.gen(function* () {
      const user = new AsyncLocalStorage<string>()
      const { handler } = yield* openHandler({
        authenticate: () => {
          const actor = user.getStore()
          return actor === undefined ? undefined : { actor, scopes }
        }
      })
      const streams = yield* Effect.forEach(["ada", "bob"], (name) =>
        Effect.promise(() => user.run(name, () => Effect.runPromise(openStream(handler, "cookie", name))))
      )
      yield* pass(12)
      assert.deepStrictEqual(
        streams.map(({ isEnded }) => isEnded),
        [false, false]
      )
      yield* Effect.promise(() => handler.close())
    })
  )
})

/** A key with which streams can be opened. */
const keyFor = (runtime: Context.Context<Runtime>, expiresAt?: string) =>
  Effect.gen(function* () {
    const account = yield* Context.get(runtime, UseCaseRunner).call(useCases.accounts.create, { name: "Shop" })
    const key = { accountId: account.value.id, name: "display", scopes, ...(expiresAt && { expiresAt }) }
    return yield* Context.get(runtime, UseCaseRunner).call(useCases.apiKeys.create, key)
  })

describe("a stream that was opened with an API key", () => {
  it.effect("when the key expires, then it ends within a second", () =>
    Effect.gen(function* () {
      const { runtime, handler } = yield* openHandler({})
      const now = yield* Clock.currentTimeMillis
      const { key } = yield* keyFor(runtime, new Date(now + 60_000).toISOString())
      const stream = yield* openStream(handler, "authorization", `Bearer ${key}`)
      yield* pass(59)
      assert.isFalse(stream.isEnded)
      yield* pass(2)
      yield* until("the end", () => stream.isEnded)
      yield* Effect.promise(() => handler.close())
    })
  )

  it.effect("when the key is revoked and a check demanded, then it has ended when that completes", () =>
    Effect.gen(function* () {
      const { runtime, handler } = yield* openHandler({})
      const { id, key } = yield* keyFor(runtime)
      const stream = yield* openStream(handler, "authorization", `Bearer ${key}`)
      yield* Context.get(runtime, UseCaseRunner).call(useCases.apiKeys.revoke, id)
      yield* Effect.promise(() => handler.checkStreams())
      yield* until("the end", () => stream.isEnded)
      yield* Effect.promise(() => handler.close())
    })
  )
})
