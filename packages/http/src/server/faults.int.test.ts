import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { CommitUnknown, InternalError, StorageBusy, StorageFull, StorageUnavailable } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import { layer } from "@petstore/core/runtime"
import { categories } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { startServer } from "../../test/support/TestServer.ts"

type Store = Storage["Service"]

/** A server on a store in memory that cannot do something. */
const serving = (broken: Partial<Store> | ((whole: Store) => Partial<Store>)) =>
  Effect.gen(function* () {
    const storage = Layer.effect(
      Storage,
      Effect.map(
        Storage,
        (whole): Store => ({
          ...whole,
          ...(typeof broken === "function" ? broken(whole) : broken)
        })
      )
    ).pipe(Layer.provide(memory().layer))
    return yield* startServer({}, yield* Layer.build(layer({ name: "broken", layer: storage })))
  })

interface Entry {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly requestId: unknown
}

const recorder = () => {
  const entries: Array<Entry> = []
  const layer = Logger.layer([
    Logger.make(({ cause, fiber, logLevel, message }) => {
      const { requestId } = fiber.getRef(References.CurrentLogAnnotations)
      entries.push({ level: logLevel, message: String(message), cause: String(cause), requestId })
    })
  ])
  return { entries, layer }
}

const secret = "the password of the database is hunter2"

const internal = {
  code: "internal_error",
  message: "Internal error. Nothing was changed. The log has the cause.",
  status: 500
}

describe("a failure inside", () => {
  const failures = {
    "a defect": Effect.die(new Error(secret)),
    "an exception": Effect.sync(() => {
      throw new TypeError(secret)
    }),
    "a failure of the store": Effect.fail(new InternalError({}, { message: secret, cause: new Error(secret) }))
  }
  for (const [name, run] of Object.entries(failures)) {
    it.effect(`given ${name}, then the client learns nothing of it, and the log has it all`, () => {
      const { entries, layer } = recorder()
      return Effect.gen(function* () {
        const { send } = yield* serving({ run: () => run as never })
        const reply = yield* send("POST", "/v1/categories", {
          body: { name: "Cats" },
          headers: { "x-request-id": "request-7" }
        })
        assert.strictEqual(reply.status, 500)
        assert.deepStrictEqual(reply.body, internal)
        assert.notInclude(JSON.stringify([...reply.headers]), secret)
        const [entry, ...more] = entries
        assert.deepStrictEqual(more, [])
        assert.deepInclude(entry, {
          level: "Error",
          message: "createCategory failed with internal_error",
          requestId: "request-7"
        })
        assert.include(entry?.cause, secret)
      }).pipe(Effect.provide(layer))
    })
  }

  for (const [error, code] of [
    [new StorageBusy({}, { cause: new Error(secret) }), "storage_busy"],
    [new StorageFull({}, { cause: new Error(secret) }), "storage_full"],
    [new StorageUnavailable({}, { cause: new Error(secret) }), "storage_unavailable"],
    [new CommitUnknown({}, { cause: new Error(secret) }), "commit_unknown"]
  ] as const) {
    it.effect(`given ${code} from the store, then the response shows it and when to retry`, () => {
      const { entries, layer } = recorder()
      return Effect.gen(function* () {
        const { send } = yield* serving({ run: () => Effect.fail(error) })
        const reply = yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
        assert.deepInclude(reply.body, { code, status: 503 })
        assert.notInclude(reply.text, secret)
        assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
        assert.deepInclude(entries[0], { level: "Warn", message: `createCategory failed with ${code}` })
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("given a failing store, then the server is alive but not ready, and each change is logged once", () => {
    const { entries, layer } = recorder()
    return Effect.gen(function* () {
      let isFull = true
      const { send } = yield* serving({
        ready: Effect.suspend(() => (isFull ? Effect.fail(new StorageFull({}, { cause: secret })) : Effect.void))
      })
      const probe = send("GET", "/health/ready", { key: undefined })
      for (let n = 0; n < 3; n++) assert.deepInclude((yield* probe).body, { code: "storage_full", status: 503 })
      assert.strictEqual((yield* send("GET", "/health/live", { key: undefined })).status, 200)
      isFull = false
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* probe).status, 200)
      assert.deepStrictEqual(
        entries.map(({ message }) => message),
        ["not ready: storage_full", "ready again"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("given a store that fails for a while, then the log has the first failure and their end", () => {
    const { entries, layer } = recorder()
    return Effect.gen(function* () {
      let isAway = true
      const { send } = yield* serving(({ select }) => ({
        select: (query, argument, limit) =>
          Effect.suspend(() =>
            isAway && query.table.name === categories.name
              ? Effect.fail(new StorageBusy({}))
              : select(query, argument, limit)
          )
      }))
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* send("GET", "/v1/categories")).status, 503)
      isAway = false
      yield* TestClock.adjust("10 seconds")
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* send("GET", "/v1/categories")).status, 200)
      assert.deepStrictEqual(
        entries.map(({ message }) => message),
        ["listCategories failed with storage_busy", "No request has failed with storage_busy for 10 seconds; 20 had"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("given a mistake of the client, then nothing is logged", () => {
    const { entries, layer } = recorder()
    return Effect.gen(function* () {
      const { send } = yield* serving({})
      yield* send("GET", "/v1/nothing")
      yield* send("GET", "/v1/categories/9")
      yield* send("POST", "/v1/categories", { raw: "{" })
      assert.deepStrictEqual(entries, [])
    }).pipe(Effect.provide(layer))
  })
})
