import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type MessageContext, memory, type OnMessage, type PetstoreOptions } from "@petstore/core"
import { StorageUnavailable } from "@petstore/core/domain"
import { MessageDelivery, type MessageHandler, Petstore, runtimeOf, Storage } from "@petstore/core/effect"
import { MessageQueue } from "@petstore/core/runtime"
import { type TestPetstore, testPetstore } from "@petstore/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { changeRow } from "../../../test/support/writes.ts"
import {
  adapterOf,
  delivered,
  givenSender,
  noting,
  open,
  pass,
  running,
  settle,
  shiftingClock
} from "../../../test/webhooks/sending.ts"
import { attemptLost } from "../../domain/messages/MessageState.ts"
import { messages } from "../../tables/index.ts"

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1))

/** Waits until something holds, for ten seconds of real time at most. */
const until = async (holds: () => unknown): Promise<void> => {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(`It never holds: ${holds}`)
    await turn()
  }
}

/** Waits until something holds, while time passes: a worker may begin to wait only after the clock was set. */
const untilInTime = (petstore: TestPetstore, holds: () => unknown): Promise<void> =>
  until(async () => {
    if (await holds()) return true
    await petstore.clock.advance("1 second")
    return false
  })

const isIn = (petstore: TestPetstore, id: string, status: string) => async () =>
  (await petstore.messages.get(id)).status === status

/** A petstore whose handler waits until the test ends its attempts, one after another. */
const held = async (options: PetstoreOptions = {}) => {
  const attempts: Array<MessageContext & { readonly text: string; readonly end: (error?: Error) => void }> = []
  const onMessage: OnMessage = ({ message }, context) =>
    new Promise<void>((resolve, reject) => {
      attempts.push({ ...context, text: message, end: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  const petstore = await testPetstore({ ...options, onMessage })
  return { petstore, attempts }
}

describe("given a petstore with a handler of messages", () => {
  it("when a message is queued, then it is handled and delivered", async () => {
    const received: Array<string> = []
    await using petstore = await testPetstore({ onMessage: ({ message }) => received.push(message) })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(isIn(petstore, id, "delivered"))
    assert.deepStrictEqual(received, ["Hello"])
    const message = await petstore.messages.get(id)
    assert.deepStrictEqual([message.attempts, message.deliveredAt], [1, petstore.clock.now])
    assert.isTrue((await petstore.verify()).ok)
  })

  it("when messages were queued before it opened, then they are handled, and the handler can use the petstore", async () => {
    const storage = withLockChecks(memory())
    const before = await createPetstore({ storage })
    const { id } = await before.messages.enqueue("Dogs")
    const petstore = await createPetstore({
      storage,
      onMessage: async ({ message }) => {
        await petstore.categories.create({ name: message })
      }
    })
    await until(async () => (await before.messages.get(id)).status === "delivered")
    assert.deepStrictEqual(
      (await before.categories.list()).items.map(({ name }) => name),
      ["Dogs"]
    )
    await petstore.close()
    await before.close()
  })

  it("when the handler throws, then it is called again later", async () => {
    const attempts: Array<number> = []
    await using petstore = await testPetstore({
      onMessage: (_, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error(`No connection ${attempt}`)
      }
    })
    const { id } = await petstore.messages.enqueue("Hello")
    for (const attempt of [1, 2]) {
      await (attempt === 1
        ? until(() => attempts.length === 1)
        : untilInTime(petstore, () => attempts.length === attempt))
      await until(async () => (await petstore.messages.get(id)).nextAttemptAt !== undefined)
      const { nextAttemptAt = "", ...waiting } = await petstore.messages.get(id)
      assert.deepStrictEqual(
        [waiting.status, waiting.attempts, waiting.lastError],
        ["queued", attempt, `No connection ${attempt}`]
      )
      assert.isAbove(Date.parse(nextAttemptAt) - Date.parse(petstore.clock.now), 3_999)
      await petstore.clock.set(nextAttemptAt)
    }
    await untilInTime(petstore, isIn(petstore, id, "delivered"))
    assert.deepStrictEqual(attempts, [1, 2, 3])
    assert.isTrue((await petstore.verify()).ok)
  })

  it("when the last attempt fails, then the message has failed until it is queued again", async () => {
    const storage = memory()
    const texts: Array<string> = []
    await using petstore = await testPetstore({
      storage,
      onMessage: ({ message }) => {
        texts.push(message)
        if (texts.length === 1) throw new Error("No connection")
      }
    })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(async () => (await petstore.messages.get(id)).nextAttemptAt !== undefined)
    await runtimeOf(petstore).runPromise(
      Effect.gen(function* () {
        const { run } = yield* Storage
        const queue = yield* MessageQueue
        const record = yield* run(function* (tx) {
          const found = (yield* tx.lock(messages, id)) ?? assert.fail()
          tx.save(messages, { ...found, attempts: 9, lease: { fence: 9 }, dueAt: found.createdAt })
          return found
        })
        assert.strictEqual(record.attempts, 1)
        const { items } = yield* queue.recordAndClaim([], 1, 30_000)
        for (const { fence } of items)
          yield* queue.recordAndClaim([{ item: { id, fence }, outcome: { error: "No answer" } }], 0, 0)
      })
    )
    const { attempts, lastError, status } = await petstore.messages.get(id)
    assert.deepStrictEqual([status, attempts, lastError], ["failed", 10, "No answer"])
    assert.isTrue((await petstore.verify()).ok)

    assert.strictEqual((await petstore.messages.requeue(id)).status, "queued")
    await until(isIn(petstore, id, "delivered"))
    assert.deepStrictEqual(texts, ["Hello", "Hello"])
    const types = (await petstore.events.list()).items.map(({ type }) => type)
    assert.deepStrictEqual(types, ["message.queued", "message.failed", "message.queued", "message.delivered"])
    const code = await petstore.messages.requeue(id).catch((error: { readonly code: string }) => error.code)
    assert.strictEqual(code, "message_already_delivered")
    assert.isTrue((await petstore.verify()).ok)
  })

  it("when one message fails each time, then the others are delivered meanwhile", async () => {
    await using petstore = await testPetstore({
      messages: { concurrency: 1 },
      onMessage: ({ message }) => {
        if (message === "poison") throw new Error("Cannot parse it")
      }
    })
    await petstore.messages.enqueue("poison")
    const last = await Promise.all(Array.from({ length: 20 }, (_, n) => petstore.messages.enqueue(`Message ${n}`)))
    for (const { id } of last) await until(isIn(petstore, id, "delivered"))
    assert.strictEqual((await petstore.messages.list({ status: "queued" })).items.length, 1)
  })

  it("when the time limit ends, then the signal aborts and the attempt has failed", async () => {
    const { attempts, petstore } = await held({ messages: { timeout: "1 minute" } })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(() => attempts.length === 1)
    // The lease is extended meanwhile.
    for (let second = 0; second < 60; second += 5) await petstore.clock.advance("5 seconds")
    await until(() => attempts[0]?.signal.aborted)
    await until(async () => (await petstore.messages.get(id)).lastError !== undefined)
    assert.strictEqual((await petstore.messages.get(id)).lastError, "The attempt took longer than 60000 ms.")
    assert.strictEqual(attempts.length, 1)
    await petstore.close()
  })

  it("when another worker has claimed the message, then the signal aborts, and the late acknowledgement is refused", async () => {
    const { attempts, petstore } = await held()
    const { id } = await petstore.messages.enqueue("Hello")
    await until(() => attempts.length === 1)
    const other = await runtimeOf(petstore).runPromise(
      Effect.gen(function* () {
        const queue = yield* MessageQueue
        // As a worker whose clock is ahead does.
        yield* queue.release([{ id, fence: 1 }])
        return yield* queue.recordAndClaim([], 1, 30_000)
      })
    )
    assert.deepStrictEqual(
      other.items.map(({ fence }) => fence),
      [2]
    )
    await petstore.clock.advance("10 seconds")
    await until(() => attempts[0]?.signal.aborted)
    const late = await runtimeOf(petstore).runPromise(
      Effect.flatMap(MessageQueue, (queue) =>
        queue.recordAndClaim([{ item: { id, fence: 1 }, outcome: "delivered" }], 0, 0)
      )
    )
    assert.deepStrictEqual(late.refused, [{ id, fence: 1 }])
    assert.strictEqual((await petstore.messages.get(id)).status, "queued")
    await petstore.close()
  })

  it("when its worker extends and releases several leases in any order, then the messages are locked by ascending id", async () => {
    await using petstore = await testPetstore({ storage: withLockChecks(memory()) })
    for (const text of ["A", "B", "C"]) await petstore.messages.enqueue(text)
    const { lostClaims, results } = await runtimeOf(petstore).runPromise(
      Effect.gen(function* () {
        const queue = yield* MessageQueue
        const { items } = yield* queue.recordAndClaim([], 3, 30_000)
        const ascending = items.map(({ fence, id }) => ({ id, fence })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const [first, second, third] = ascending
        if (first === undefined || second === undefined || third === undefined) return yield* Effect.die("too few")
        const mixed = [second, third, first]
        const lost = yield* queue.extend(mixed, 60_000)
        const lostClaims = [
          { ...third, fence: 0 },
          { ...second, fence: 0 }
        ]
        const old = yield* queue.extend([...lostClaims, first], 60_000)
        yield* queue.release(mixed)
        return { lostClaims, results: [lost, old] }
      })
    )
    // Those that are lost keep the order in which they were given.
    assert.deepStrictEqual(results, [[], lostClaims])
    assert.isTrue((await petstore.verify()).ok)
  })

  it("when a lease of another process expires, then the message is handled again", async () => {
    const storage = withLockChecks(memory())
    const dead = await testPetstore({ storage })
    const { id } = await dead.messages.enqueue("Hello")
    const claimed = await runtimeOf(dead).runPromise(
      Effect.flatMap(MessageQueue, (queue) => queue.recordAndClaim([], 1, 30_000))
    )
    assert.strictEqual(claimed.items.length, 1)
    const { attempts, petstore } = await held({ storage })
    await petstore.clock.advance("29 seconds")
    assert.strictEqual(attempts.length, 0)
    await petstore.clock.advance("1 second")
    await until(() => attempts.length === 1)
    assert.deepStrictEqual([attempts[0]?.attempt, attempts[0]?.fence], [1, 2])
    assert.strictEqual((await petstore.messages.get(id)).lastError, attemptLost)
    attempts[0]?.end()
    await until(isIn(petstore, id, "delivered"))
    await petstore.close()
    await dead.close()
  })

  it("when the last attempt at a message was lost, then it has failed, and is not handled once more", async () => {
    await using petstore = await testPetstore({ storage: withLockChecks(memory()) })
    const { id } = await petstore.messages.enqueue("Hello")
    const claimed = await runtimeOf(petstore).runPromise(
      Effect.gen(function* () {
        const lease = { fence: 10, until: petstore.clock.now }
        const lost = { attempts: 10, lease, lastError: attemptLost }
        yield* changeRow(yield* Storage, messages, id, (row) => ({ ...row, ...lost }))
        return yield* (yield* MessageQueue).recordAndClaim([], 1, 30_000)
      })
    )
    assert.deepStrictEqual(claimed.items, [])
    assert.deepInclude(await petstore.messages.get(id), { status: "failed", attempts: 10, lastError: attemptLost })
  })

  it("when several leases expire, then their messages are handled one after the other, beside new ones", async () => {
    const storage = withLockChecks(memory())
    const dead = await testPetstore({ storage })
    for (const text of ["A", "B", "C"]) await dead.messages.enqueue(text)
    await runtimeOf(dead).runPromise(Effect.flatMap(MessageQueue, (queue) => queue.recordAndClaim([], 3, 30_000)))
    const { attempts, petstore } = await held({ storage })
    await petstore.clock.advance("30 seconds")
    await until(() => attempts.length === 1)
    const { id } = await petstore.messages.enqueue("D")
    await until(() => attempts.length === 2)
    attempts[1]?.end()
    await untilInTime(petstore, isIn(petstore, id, "delivered"))
    await petstore.clock.advance("10 seconds")
    assert.strictEqual(attempts.length, 2)
    attempts[0]?.end()
    await until(() => attempts.length === 3)
    attempts[2]?.end(new Error("No"))
    await until(() => attempts.length === 4)
    assert.deepStrictEqual(
      attempts.map(({ attempt, text }) => [text, attempt]),
      [
        ["A", 1],
        ["D", 1],
        ["B", 1],
        ["C", 1]
      ]
    )
    for (const { end } of attempts) end()
    await petstore.close()
    await dead.close()
  })

  it("when many leases expire, then they do not hold back a new message", async () => {
    const storage = withLockChecks(memory())
    const dead = await testPetstore({ storage })
    for (let n = 1; n <= 80; n++) await dead.messages.enqueue(`Lost ${n}`)
    await runtimeOf(dead).runPromise(Effect.flatMap(MessageQueue, (queue) => queue.recordAndClaim([], 80, 30_000)))
    const { attempts, petstore } = await held({ storage })
    await petstore.clock.advance("30 seconds")
    await until(() => attempts.length === 1)
    await petstore.messages.enqueue("New")
    await until(() => attempts.length === 2)
    assert.deepStrictEqual(
      attempts.map(({ text }) => text),
      ["Lost 1", "New"]
    )
    for (const { end } of attempts) end()
    await petstore.close()
    await dead.close()
  })

  it("when it closes, then it waits for the handler, which can still use the petstore", async () => {
    const storage = withLockChecks(memory())
    const { attempts, petstore } = await held({ storage })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(() => attempts.length === 1)
    const closing = petstore.close()
    await petstore.categories.create({ name: "Dogs" })
    attempts[0]?.end()
    await closing
    const after = await testPetstore({ storage })
    assert.strictEqual((await after.messages.get(id)).status, "delivered")
    await after.close()
  })

  it("when the handler outlasts the drain time, then the message is due at once, and the attempt does not count", async () => {
    const storage = withLockChecks(memory())
    const { attempts, petstore } = await held({ storage, messages: { drain: 20 } })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(() => attempts.length === 1)
    const closing = petstore.close()
    // The clock ends with the petstore.
    await petstore.clock.advance(20).catch(() => undefined)
    await closing
    assert.isTrue(attempts[0]?.signal.aborted)
    const next = await held({ storage })
    await next.petstore.clock.advance("1 second")
    await until(() => next.attempts.length === 1)
    assert.deepStrictEqual([next.attempts[0]?.attempt, next.attempts[0]?.fence], [1, 2])
    next.attempts[0]?.end()
    await until(isIn(next.petstore, id, "delivered"))
    await next.petstore.close()
  })

  it("when the handler fails while it closes, then the message is due at once, and the attempt does not count", async () => {
    const storage = withLockChecks(memory())
    const { attempts, petstore } = await held({ storage })
    const { id } = await petstore.messages.enqueue("Hello")
    await until(() => attempts.length === 1)
    const closing = petstore.close()
    await petstore.categories.list()
    attempts[0]?.end(new Error("The connection was closed"))
    await closing
    const after = await testPetstore({ storage })
    const { attempts: counted, lastError, status } = await after.messages.get(id)
    assert.deepStrictEqual([status, counted, lastError], ["queued", undefined, undefined])
    await after.close()
  })

  it("then it handles at most as many at the same time as the option says", async () => {
    const { attempts, petstore } = await held({ messages: { concurrency: 3 } })
    for (let n = 0; n < 5; n++) await petstore.messages.enqueue(`Message ${n}`)
    await until(() => attempts.length === 3)
    for (let n = 0; n < 20; n++) await turn()
    assert.strictEqual(attempts.length, 3)
    attempts[1]?.end()
    await until(() => attempts.length === 4)
    for (const { end } of attempts) end()
    await until(() => attempts.length === 5)
    attempts[4]?.end()
    assert.deepStrictEqual(
      attempts.map(({ text }) => text),
      [0, 1, 2, 3, 4].map((n) => `Message ${n}`)
    )
    await petstore.close()
  })

  for (const [options, message] of [
    [{ onMessage: "yes" }, /The option onMessage takes a function that delivers a message/],
    [{ messages: { concurrency: 0 } }, /The option concurrency takes a whole number of messages, 1 or more, not 0/],
    [{ messages: { timeout: "soon" } }, /The option timeout takes a duration/],
    [{ messages: { concurrency: 1 } }, /The option messages says how onMessage is called. Add onMessage, or remove/],
    [{ messages: { retries: 3 } }, /The option messages does not know the option retries/]
  ] as const) {
    it(`when the options are ${JSON.stringify(options)}, then they are rejected`, async () => {
      const error = await createPetstore(options as object).catch((reason: unknown) => reason)
      assert.instanceOf(error, TypeError)
      assert.match((error as TypeError).message, message)
    })
  }
})

/** A petstore with one attempt in progress, and how to end it. */
const attempting = Effect.fnUntraced(function* (adapter = adapterOf()) {
  const ending = yield* Deferred.make<void>()
  const calls: Array<number> = []
  const handler: MessageHandler = (_, { fence }) =>
    Effect.andThen(
      Effect.sync(() => calls.push(fence)),
      Deferred.await(ending)
    )
  const { shift, shifted } = yield* shiftingClock
  const petstore = yield* shifted(open(givenSender(() => Effect.succeed(delivered)).sender, adapter, handler))
  yield* Effect.addFinalizer(() => Deferred.succeed(ending, undefined))
  const { id } = yield* petstore.messages.enqueue("Hello")
  yield* settle
  assert.deepStrictEqual(calls, [1])
  return { petstore, id, calls, shift, end: Effect.andThen(Deferred.succeed(ending, undefined), settle) }
})

describe("given handlers that returned at once, and then wait", () => {
  it.effect("then the messages that were claimed for them meanwhile keep their place", () =>
    Effect.gen(function* () {
      const adapter = adapterOf()
      const queue = yield* open(givenSender(() => Effect.succeed(delivered)).sender, adapter)
      for (let n = 1; n <= 60; n++) yield* queue.messages.enqueue(`${n}`)
      yield* TestClock.adjust(1_000)
      const calls: Array<number> = []
      const layer = MessageDelivery.layer(({ message }) => {
        calls.push(Number(message))
        return Number(message) <= 10 ? Effect.void : Effect.sleep(1_000)
      })
      yield* Layer.build(Layer.provideMerge(layer, Petstore.layer(adapter)))
      yield* settle
      assert.strictEqual(calls.length, 20)
      for (let n = 0; n < 10; n++) yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(
        calls,
        Array.from({ length: 60 }, (_, n) => n + 1)
      )
    })
  )
})

describe("given messages that end at the same time", () => {
  it.effect(
    "then one command records their outcomes and claims the next, and each that failed waits for a time of its own",
    () =>
      Effect.gen(function* () {
        const commands: Array<string | undefined> = []
        const adapter = noting((command) => commands.push(command))
        const queue = yield* open(givenSender(() => Effect.succeed(delivered)).sender, adapter)
        for (let n = 0; n < 100; n++) yield* queue.messages.enqueue(`${n}`)
        commands.length = 0
        const layer = MessageDelivery.callingBack(({ message }) => {
          if (message.endsWith("0")) throw new Error("No connection")
        })
        yield* Layer.build(Layer.provideMerge(layer, Petstore.layer(adapter)))
        yield* settle
        const { items } = yield* queue.messages.list({ limit: 100 })
        assert.strictEqual(items.filter(({ status }) => status === "delivered").length, 90)
        assert.strictEqual(new Set(items.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])).size, 10)
        assert.strictEqual(commands.filter((command) => command === "messages.claim").length, 1)
        assert.strictEqual(commands.filter((command) => command === "messages.finish").length, 4)
        // Of the draws of most seeds no two are of one millisecond.
      }).pipe(Random.withSeed("waits"))
  )
})

describe("given an attempt in progress", () => {
  it.effect(
    "when the wall clock is set forward, so that its process claims the message again, then it still counts",
    () =>
      Effect.gen(function* () {
        const { calls, end, id, petstore, shift } = yield* attempting()
        shift("1 minute")
        yield* pass("3 seconds")
        assert.strictEqual((yield* petstore.storage.find(messages, id))?.lease.fence, 2)
        yield* end
        assert.deepStrictEqual([(yield* petstore.messages.get(id)).status, calls], ["delivered", [1]])
      })
  )

  it.effect(
    "when the store fails until after its lease, then its outcome is recorded later, and no other is made",
    () =>
      Effect.gen(function* () {
        let isDown = false
        const adapter = running((_, run) => (isDown ? Effect.fail(new StorageUnavailable({})) : run))
        const { calls, end, id, petstore } = yield* attempting(adapter)
        isDown = true
        yield* end
        yield* pass("1 minute")
        isDown = false
        yield* pass("3 seconds")
        assert.deepStrictEqual([(yield* petstore.messages.get(id)).status, calls], ["delivered", [1]])
      })
  )
})

describe("given a handler that is an effect", () => {
  it("when its layer gets an invalid option, then it throws", () => {
    const options = { concurrency: 0 }
    assert.throws(() => MessageDelivery.layer(() => Effect.void, options), TypeError, "concurrency")
    assert.throws(() => MessageDelivery.callingBack(() => {}, options), TypeError, "concurrency")
  })

  it.live("then it can use the petstore and other services, and is interrupted at the end", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const delivery = MessageDelivery.layer(
        Effect.fnUntraced(function* ({ message }) {
          const { categories } = yield* Petstore
          yield* categories.create({ name: message })
          yield* Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
        }),
        { drain: 10 }
      )
      yield* Effect.gen(function* () {
        const { categories, messages } = yield* Petstore
        yield* messages.enqueue("Dogs")
        yield* Effect.promise(() => until(async () => (await Effect.runPromise(categories.list())).items.length === 1))
      }).pipe(Effect.provide(Layer.provideMerge(delivery, Petstore.layer(withLockChecks(memory())))))
      yield* Deferred.await(interrupted)
    })
  )
})
