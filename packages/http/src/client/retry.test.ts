import { assert, describe, it } from "@effect/vitest"
import type { ErrorCode } from "@petstore/core/domain"
import { type ClientOptions, HttpPetstore } from "@petstore/http/client"
import { anOrder, aPet } from "@petstore/testing"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import {
  broken,
  done,
  inVirtualTime,
  json,
  type Reply,
  refusal,
  type Sent,
  script,
  silence,
  text,
  unreachable
} from "../../test/support/scriptedFetch.ts"

type Commands = HttpPetstore["Service"]

interface Outcome {
  /** `ok`, or the code of the error. */
  readonly code: string
  readonly mayBeDone: unknown
  readonly sent: ReadonlyArray<Sent>
  /** The pauses between requests, in milliseconds. */
  readonly waits: ReadonlyArray<number>
}

/** Calls a petstore that replies by a script, in virtual time. */
const call = (
  command: (petstore: Commands) => Effect.Effect<unknown, { readonly code: string; readonly details?: unknown }>,
  replies: ReadonlyArray<Reply>,
  options: Partial<ClientOptions> = {},
  step?: number
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const { fetch, sent } = script(replies, yield* Clock.Clock)
    const layer = HttpPetstore.layer({ baseUrl: "http://pets.example/v1", key: "psk_1", fetch, ...options })
    const call = Effect.flatMap(HttpPetstore, command).pipe(Effect.provide(layer), Effect.result)
    const result = yield* inVirtualTime(call, step)
    const details = Result.isFailure(result) ? (result.failure.details ?? {}) : {}
    return {
      code: Result.isFailure(result) ? result.failure.code : "ok",
      mayBeDone: (details as { readonly mayBeDone?: unknown }).mayBeDone,
      sent,
      waits: sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))
    }
  })

const pet = aPet({ id: 7 })
const order = anOrder({ id: 5, petId: 7 })

const commands = {
  reading: ({ pets }: Commands) => pets.get(7),
  creation: ({ orders }: Commands) => orders.place({ petId: 7 }),
  update: ({ pets }: Commands) => pets.update(7, { name: "Rex" }),
  updateOfVersion: ({ pets }: Commands) => pets.update(7, { name: "Rex" }, { ifVersion: 2 }),
  updateWithoutKey: ({ webhooks }: Commands) => webhooks.update(3, { enabled: true }),
  updateOfVersionWithoutKey: ({ webhooks }: Commands) => webhooks.update(3, { enabled: true }, { ifVersion: 2 }),
  completion: ({ orders }: Commands) => orders.complete(5),
  deletion: ({ pets }: Commands) => pets.delete(7),
  deletionOfVersion: ({ pets }: Commands) => pets.delete(7, { ifVersion: 2 }),
  newKey: ({ apiKeys }: Commands) => apiKeys.create({ accountId: 1, name: "Till", preset: "read" }),
  rotation: ({ apiKeys }: Commands) => apiKeys.rotate(1)
}

type Command = keyof typeof commands

const webhook = {
  id: 3,
  url: "https://shop.example/hook",
  enabled: true,
  concurrency: 1,
  ordered: false,
  createdAt: "2026-05-04T09:30:00.000Z"
}

const secret = {
  id: 1,
  accountId: 1,
  name: "Till",
  scopes: ["pets:read"],
  createdAt: "2026-05-04T09:30:00Z",
  key: "psk"
}

const success: Readonly<Record<Command, Reply>> = {
  reading: json(200, pet, { ETag: '"p2"' }),
  creation: json(201, order, { ETag: '"v1"' }),
  update: json(200, pet, { ETag: '"p3"' }),
  updateOfVersion: json(200, pet, { ETag: '"p3"' }),
  updateWithoutKey: json(200, webhook, { ETag: '"v3"' }),
  updateOfVersionWithoutKey: json(200, webhook, { ETag: '"v3"' }),
  completion: json(200, { ...order, complete: true }, { ETag: '"v2"' }),
  deletion: done,
  deletionOfVersion: done,
  newKey: json(201, secret),
  rotation: json(201, secret)
}

const all = Object.keys(commands) as ReadonlyArray<Command>

const nothingDone: ReadonlyArray<ErrorCode> = [
  "incomplete_request",
  "rate_limited",
  "too_many_streams",
  "storage_busy",
  "storage_full",
  "storage_unavailable",
  "overloaded",
  "shutting_down",
  "request_timeout"
]

/** What leaves it open whether the request was carried out. */
const unknownOutcomes: Readonly<Record<string, Reply>> = {
  commit_unknown: refusal("commit_unknown"),
  "a broken connection": broken,
  silence: silence,
  "a gateway that gives up": text(504, "<h1>Gateway Timeout</h1>", { "Content-Type": "text/html" }),
  "an unlisted error of a server that is down": json(503, { code: "napping", message: "Later.", status: 503 })
}

const harmless: ReadonlyArray<Command> = [
  "reading",
  "creation",
  "update",
  "updateOfVersion",
  "updateOfVersionWithoutKey",
  "completion",
  "deletion",
  "deletionOfVersion"
]

describe("given a response that guarantees that nothing was done", () => {
  for (const name of all) {
    it.effect(`when it is for ${name}, then that is repeated until it succeeds`, () =>
      Effect.gen(function* () {
        for (const code of nothingDone) {
          const { code: ended, sent } = yield* call(commands[name], [refusal(code), refusal(code), success[name]])
          assert.deepStrictEqual([ended, sent.length], ["ok", 3], code)
        }
        const { code, sent } = yield* call(commands[name], [unreachable, text(429, "slow down"), success[name]])
        assert.deepStrictEqual([code, sent.length], ["ok", 3], "no connection, and a limit of a proxy")
      })
    )
  }

  it.effect("when it keeps coming, then the call fails with its error after four retries", () =>
    Effect.gen(function* () {
      for (const code of nothingDone) {
        const { code: ended, sent } = yield* call(commands.update, [refusal(code)])
        assert.deepStrictEqual([ended, sent.length], [code, 5])
      }
      const { code, mayBeDone, sent } = yield* call(commands.creation, [unreachable])
      assert.deepStrictEqual([code, mayBeDone, sent.length], ["connection_lost", false, 5])
    })
  )

  it.effect("when the twin of a creation still runs, then the creation is repeated until that has ended", () =>
    Effect.gen(function* () {
      const running = refusal("idempotency_in_progress", {}, { "Retry-After": "1" })
      const { code, sent } = yield* call(commands.creation, [running, running, success.creation])
      assert.deepStrictEqual([code, sent.length], ["ok", 3])
    })
  )
})

describe("given a response that leaves the outcome of the request unknown", () => {
  for (const [what, reply] of Object.entries(unknownOutcomes)) {
    for (const name of all) {
      const repeated = harmless.includes(name)
      it.effect(`when ${what} meets ${name}, then that is ${repeated ? "repeated" : "not repeated"}`, () =>
        Effect.gen(function* () {
          const { code, sent } = yield* call(commands[name], [reply, success[name]], { timeout: 50 })
          assert.deepStrictEqual([code === "ok", sent.length], repeated ? [true, 2] : [false, 1])
        })
      )
    }
  }

  it.effect("when an update fails at last, then its error shows that it may have been carried out", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call(commands.update, [refusal("commit_unknown")])).code, "commit_unknown")
      const lost = yield* call(commands.update, [broken])
      assert.deepStrictEqual([lost.code, lost.mayBeDone], ["connection_lost", true])
      const late = yield* call(commands.update, [silence], { timeout: 50 })
      assert.deepStrictEqual([late.code, late.mayBeDone], ["no_answer_in_time", true])
      const gateway = yield* call(commands.update, [text(502, "")])
      assert.deepStrictEqual([gateway.code, gateway.mayBeDone], ["unexpected_answer", true])
    })
  )

  it.effect("when a read fails at last, then its error shows that nothing was changed", () =>
    Effect.gen(function* () {
      const lost = yield* call(commands.reading, [broken])
      assert.deepStrictEqual([lost.code, lost.mayBeDone, lost.sent.length], ["connection_lost", false, 5])
      const late = yield* call(commands.reading, [silence], { timeout: 50 })
      assert.deepStrictEqual([late.code, late.mayBeDone, late.sent.length], ["no_answer_in_time", false, 5])
    })
  )

  it.effect("when a read meets one, then its result is that of the last attempt, whatever that is", () =>
    Effect.gen(function* () {
      for (const code of ["invalid_api_key", "insufficient_scope", "operation_sunset", "internal_error"] as const) {
        const read = ({ pets }: Commands) => pets.getWithInventory(7)
        assert.strictEqual((yield* call(read, [text(504, ""), refusal(code)])).code, code)
      }
    })
  )

  it.effect(
    "when an update of several versions without a key is met, then it is not repeated: it may make one itself",
    () =>
      Effect.gen(function* () {
        const several = ({ webhooks }: Commands) => webhooks.update(3, { enabled: true }, { ifVersion: [2, 3] })
        const { code, sent } = yield* call(several, [broken, success.updateWithoutKey])
        assert.deepStrictEqual([code, sent.length], ["connection_lost", 1])
        const one = ({ webhooks }: Commands) => webhooks.update(3, { enabled: true }, { ifVersion: [2] })
        assert.strictEqual((yield* call(one, [broken, success.updateWithoutKey])).code, "ok")
        const withKey = ({ pets }: Commands) => pets.update(7, { name: "Rex" }, { ifVersion: [2, 3] })
        assert.strictEqual((yield* call(withKey, [broken, success.update])).code, "ok")
      })
  )
})

describe("given a repetition of a request that may have been carried out", () => {
  const afterLoss = (name: Command, reply: Reply, options?: Partial<ClientOptions>) =>
    Effect.map(call(commands[name], [broken, reply], options), ({ code }) => code)

  it.effect("when it finds a deleted resource gone, then the deletion is done", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* afterLoss("deletion", refusal("not_found")), "ok")
      assert.strictEqual(yield* afterLoss("deletionOfVersion", refusal("not_found")), "ok")
      const cancelled = yield* call(({ orders }) => orders.cancel(5), [refusal("commit_unknown"), refusal("not_found")])
      assert.strictEqual(cancelled.code, "ok")
      const revoked = yield* call(({ apiKeys }) => apiKeys.revoke(5), [silence, refusal("not_found")], { timeout: 50 })
      assert.strictEqual(revoked.code, "ok")
    })
  )

  it.effect("when nothing was lost before, then a resource that is gone was not found", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call(commands.deletion, [refusal("not_found")])).code, "not_found")
      const busy = yield* call(commands.deletion, [refusal("storage_busy"), unreachable, refusal("not_found")])
      assert.strictEqual(busy.code, "not_found")
    })
  )

  it.effect("when it finds a resource unchanged, then that error is the result", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* afterLoss("deletion", refusal("pet_has_open_orders")), "pet_has_open_orders")
      assert.strictEqual(yield* afterLoss("deletionOfVersion", refusal("precondition_failed")), "precondition_failed")
      assert.strictEqual(yield* afterLoss("creation", refusal("insufficient_stock")), "insufficient_stock")
      assert.strictEqual(yield* afterLoss("completion", refusal("order_is_draft")), "order_is_draft")
      assert.strictEqual(yield* afterLoss("updateOfVersion", refusal("not_found")), "not_found")
      assert.strictEqual(yield* afterLoss("updateOfVersion", refusal("unknown_category")), "unknown_category")
    })
  )

  it.effect(
    "when the version that an update without a key named is gone, then the result is the unknown outcome: the update may have replaced it",
    () =>
      Effect.gen(function* () {
        const name = "updateOfVersionWithoutKey"
        assert.strictEqual(yield* afterLoss(name, refusal("precondition_failed")), "connection_lost")
        const unknown = yield* call(commands[name], [refusal("commit_unknown"), refusal("precondition_failed")])
        assert.strictEqual(unknown.code, "commit_unknown")
      })
  )

  it.effect("when its key shows that the update was not made, then the refusal is the result", () =>
    Effect.gen(function* () {
      for (const code of ["precondition_failed", "pet_reserved"] as const) {
        for (const name of ["update", "updateOfVersion"] as const) {
          assert.strictEqual(yield* afterLoss(name, refusal(code)), code)
        }
      }
    })
  )

  it.effect("when it does not get as far, then the result is the unknown outcome, never that nothing was done", () =>
    Effect.gen(function* () {
      const codes: ReadonlyArray<ErrorCode> = [
        ...(["invalid_api_key", "insufficient_scope", "rate_limited", "overloaded", "shutting_down"] as const),
        ...(["internal_error", "operation_sunset"] as const)
      ]
      for (const name of ["creation", "updateOfVersion", "completion", "deletion"] as const) {
        for (const code of codes) assert.strictEqual(yield* afterLoss(name, refusal(code)), "connection_lost", code)
        assert.strictEqual(yield* afterLoss(name, unreachable), "connection_lost")
        assert.strictEqual(yield* afterLoss(name, text(404, "no such app")), "connection_lost")
      }
      const { mayBeDone } = yield* call(commands.creation, [broken, unreachable])
      assert.strictEqual(mayBeDone, true)
    })
  )
})

describe("given a refusal", () => {
  it.effect("when it would be the same again, then nothing is repeated", () =>
    Effect.gen(function* () {
      const final: ReadonlyArray<ErrorCode> = [
        ...(["validation_failed", "invalid_api_key", "insufficient_scope", "not_found", "unknown_pet"] as const),
        ...(["precondition_failed", "idempotency_key_reused", "payload_too_large", "internal_error"] as const)
      ]
      for (const name of all) {
        for (const code of final) {
          const { code: ended, sent } = yield* call(commands[name], [refusal(code), success[name]])
          assert.deepStrictEqual([ended, sent.length], [code, 1])
        }
        const found = yield* call(commands[name], [text(404, "no such app"), success[name]])
        assert.deepStrictEqual([found.code, found.sent.length], ["unexpected_answer", 1])
      }
    })
  )
})

describe("given an idempotency key", () => {
  const keys = (sent: ReadonlyArray<Sent>) => sent.map(({ headers }) => headers.get("Idempotency-Key"))

  it.effect("when the caller names none, then each call gets one of its own, the same for all its repetitions", () =>
    Effect.gen(function* () {
      const replies = [broken, refusal("overloaded"), success.creation]
      const [first, second] = [yield* call(commands.creation, replies), yield* call(commands.creation, replies)]
      assert.match(String(keys(first.sent)[0]), /^"[0-9a-f]{32}"$/)
      assert.strictEqual(new Set(keys(first.sent)).size, 1)
      assert.strictEqual(new Set(keys([...first.sent, ...second.sent])).size, 2)
    })
  )

  it.effect("when every method that takes one is called, then each has one, and no other operation has", () =>
    Effect.gen(function* () {
      const takesNone: ReadonlyArray<Command> = [
        ...(["reading", "updateWithoutKey", "updateOfVersionWithoutKey", "newKey", "rotation"] as const)
      ]
      const withKeys = [
        ({ pets }: Commands) => pets.create({ name: "Rex", categoryId: 1 }),
        ({ categories }: Commands) => categories.create({ name: "Dogs" }),
        ({ messages }: Commands) => messages.enqueue("Hello"),
        ({ accounts }: Commands) => accounts.create({ name: "Shop" }),
        ({ categories }: Commands) => categories.update(1, { name: "Dogs" }),
        ({ categories }: Commands) => categories.delete(1),
        ({ inventory }: Commands) => inventory.set(7, 3),
        ({ orders }: Commands) => orders.update(5, { quantity: 2 }),
        ({ orders }: Commands) => orders.cancel(5),
        ({ apiKeys }: Commands) => apiKeys.revoke(1),
        ({ webhooks }: Commands) => webhooks.delete(3),
        ...all.filter((name) => !takesNone.includes(name)).map((name) => commands[name])
      ]
      for (const method of withKeys) {
        assert.isString(keys((yield* call(method, [refusal("internal_error")])).sent)[0])
      }
      for (const name of takesNone) {
        assert.deepStrictEqual(keys((yield* call(commands[name], [refusal("internal_error")])).sent), [null])
      }
    })
  )

  it.effect("when the caller names one, then it is sent quoted, with every repetition", () =>
    Effect.gen(function* () {
      const named = ({ orders }: Commands) => orders.place({}, { idempotencyKey: 'order "42"\\'.replaceAll(" ", "-") })
      const { sent } = yield* call(named, [broken, success.creation])
      assert.deepStrictEqual(keys(sent), ['"order-\\"42\\"\\\\"', '"order-\\"42\\"\\\\"'])
    })
  )

  it.effect("when there are no repetitions, then no key is generated", () =>
    Effect.gen(function* () {
      const { code, sent } = yield* call(commands.creation, [broken], { retries: 0 })
      assert.deepStrictEqual([code, keys(sent)], ["connection_lost", [null]])
    })
  )
})

describe("given the waits between repetitions", () => {
  it.effect("when nothing is asked for, then each is about twice as long as the one before, up to the longest", () =>
    Effect.gen(function* () {
      const { waits } = yield* call(commands.reading, [refusal("overloaded")], { retries: 6, maxDelay: 1000 })
      const longest = [200, 400, 800, 1000, 1000, 1000]
      assert.strictEqual(waits.length, longest.length)
      for (const [index, most] of longest.entries()) {
        const wait = waits[index] ?? 0
        assert.isTrue(most / 2 <= wait && wait <= most + 1, `${wait} is between ${most / 2} and ${most}`)
      }
    })
  )

  it.effect("when two callers fail together, then they do not come back together", () =>
    Effect.gen(function* () {
      const waits = []
      for (let n = 0; n < 5; n++) waits.push(...(yield* call(commands.reading, [broken], { retries: 1 })).waits)
      assert.isAbove(new Set(waits).size, 1)
    })
  )

  it.effect("when the server asks for a wait in seconds or by a date, then it is waited for at least that long", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const asked = [
        refusal("rate_limited", {}, { "Retry-After": "3" }),
        refusal("overloaded", {}, { "Retry-After": new Date(now + 7_000).toUTCString() }),
        text(503, "maintenance", { "Retry-After": "2" }),
        refusal("overloaded", {}, { "Retry-After": "soon" }),
        refusal("overloaded", {}, { "Retry-After": new Date(now - 60_000).toUTCString() }),
        success.reading
      ]
      const { waits } = yield* call(commands.reading, asked, { retries: 5 }, 5)
      const [seconds = 0, date = 0, proxy = 0, soon = 0, past = 0] = waits
      assert.isTrue(seconds >= 3000 && seconds <= 3205, `${seconds}`)
      assert.isTrue(date >= 7000 - seconds && date <= 7000 - seconds + 1405, `${date}`)
      assert.isTrue(proxy >= 2000 && proxy <= 2805, `${proxy}`)
      assert.isTrue(soon >= 800 && soon <= 1605, `${soon}`)
      assert.isTrue(past >= 1600 && past <= 3205, `${past}`)
    })
  )

  it.effect("when Retry-After is longer than the longest wait, then there is no retry", () =>
    Effect.gen(function* () {
      const full = refusal("storage_full", {}, { "Retry-After": "30" })
      const refused = yield* call(commands.creation, [full, success.creation])
      assert.deepStrictEqual([refused.code, refused.sent.length], ["storage_full", 1])
      const patient = yield* call(commands.creation, [full, success.creation], { maxDelay: "1 minute" }, 100)
      assert.deepStrictEqual([patient.code, patient.sent.length], ["ok", 2])
      assert.isAtLeast(patient.waits[0] ?? 0, 30_000)
    })
  )
})

describe("given a request that takes too long", () => {
  it.effect("when its time is over, then it is given up, and after the last one that is the error", () =>
    Effect.gen(function* () {
      const { code, sent, waits } = yield* call(commands.reading, [silence], { timeout: "2 seconds", retries: 2 }, 10)
      assert.deepStrictEqual([code, sent.length], ["no_answer_in_time", 3])
      for (const wait of waits) assert.isAtLeast(wait, 2_000)
      assert.isTrue(sent.every(({ signal }) => signal.aborted))
    })
  )

  it.effect("when the call fails by that, then the request was given up before", () =>
    Effect.gen(function* () {
      const { fetch, sent } = script([silence])
      const petstore = yield* Effect.provide(
        HttpPetstore,
        HttpPetstore.layer({ baseUrl: "http://pets.example/v1", key: "psk_1", fetch, retries: 0, timeout: 5 })
      )
      const wasAborted = petstore.pets
        .get(7)
        .pipe(Effect.catchTag("ResponseTimeout", () => Effect.sync(() => sent[0]?.signal.aborted)))
      const fiber = yield* Effect.forkChild(wasAborted)
      yield* TestClock.adjust(5)
      assert.strictEqual(yield* Fiber.join(fiber), true)
    })
  )

  it.effect("when no timeout is set, then that is after a minute", () =>
    Effect.gen(function* () {
      const { waits } = yield* call(commands.reading, [silence, success.reading], {}, 100)
      assert.isAtLeast(waits[0] ?? 0, 60_000)
    })
  )
})
