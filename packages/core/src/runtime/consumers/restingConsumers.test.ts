import { AsyncLocalStorage } from "node:async_hooks"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { openPetstore, Petstore } from "@petstore/core/effect"
import { testPetstore } from "@petstore/testing"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EventAttempt } from "../../petstore/ConsumerMethods.ts"

const immediate = () => new Promise<void>((resolve) => setImmediate(resolve))

const until = async (isSo: () => boolean) => {
  for (let looks = 0; looks < 2_000 && !isSo(); looks++) await immediate()
}

/** A petstore by a clock that goes on by some milliseconds when it is told to, with consumers that have begun to wait for events. */
const opened = async () => {
  let nanos = 0n
  const pass = (millis: number): void => {
    nanos += BigInt(millis) * 1_000_000n
  }
  const clock = Layer.effect(
    Clock.Clock,
    Clock.clockWith((real) =>
      Effect.succeed(
        Object.assign(Object.create(real), { monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe() + nanos })
      )
    )
  )
  const petstore = await openPetstore(Layer.provideMerge(Petstore.layer(memory()), clock))
  let names = 0
  const add = (count: number) =>
    Promise.all(Array.from({ length: count }, () => petstore.categories.create({ name: `Category ${++names}` })))
  const consume = async (name: string, handle: (seq: number, attempt: EventAttempt) => unknown) => {
    const consumer = await petstore.events.consume(name, ({ seq }, attempt) => handle(seq, attempt), {
      onError: () => {}
    })
    for (let looks = 0; looks < 20; looks++) await immediate()
    return consumer
  }
  return { petstore, add, consume, pass }
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe("given consumers that wait for events", () => {
  const slow: Readonly<Record<string, (seq: number) => unknown>> = {
    "return at once": () => {},
    "return promises": () => Promise.resolve(),
    "do so for some events": (seq) => (seq % 3 === 0 ? immediate() : undefined)
  }
  for (const [name, handle] of Object.entries(slow)) {
    it(`when their turns end within the events of a commit, then handlers that ${name} get each once, in order`, async () => {
      const { add, consume, pass, petstore } = await opened()
      const handled: ReadonlyArray<Array<number>> = Array.from({ length: 5 }, () => [])
      for (const [index, all] of handled.entries()) {
        await consume(`slow-${index}`, (seq) => {
          all.push(seq)
          pass(3)
          return handle(seq)
        })
      }
      for (let round = 0; round < 20; round++) {
        await add(30)
        // Meanwhile they are at different places.
        for (let turns = 0; turns < round % 5; turns++) await immediate()
      }
      await until(() => handled.every(({ length }) => length >= 600))
      for (const all of handled) assert.deepStrictEqual(all, from(1, 600))
      await petstore.close()
    })
  }

  it("when one has handled an event, then its position is recorded within a second", async () => {
    await using petstore = await testPetstore()
    const handled: Array<number> = []
    await petstore.events.consume("mail", ({ seq }) => handled.push(seq))
    for (const count of [1, 2]) {
      for (let looks = 0; looks < 20; looks++) await immediate()
      await petstore.categories.create({ name: `Category ${count}` })
      await until(() => handled.length === count)
      await petstore.clock.advance("1 second")
      for (let looks = 0; looks < 20; looks++) await immediate()
      assert.strictEqual((await petstore.events.consumers.get("mail")).position, count)
    }
  })

  it("when handlers take long, then other work comes between them", async () => {
    const { add, consume, pass, petstore } = await opened()
    const handled: Array<number> = []
    let before = Number.POSITIVE_INFINITY
    await consume("long", (seq) => {
      if (seq === 1) setImmediate(() => (before = handled.length))
      handled.push(seq)
      pass(3)
    })
    await add(30)
    await until(() => handled.length === 30)
    assert.isBelow(before, 20)
    await petstore.close()
  })

  it("when one is closed by its handler, then it handles no further event, and the next one of its name goes on there", async () => {
    const { add, consume, petstore } = await opened()
    const handled: Array<number> = []
    let closed: Promise<void> | undefined
    const first = await consume("one", (seq) => {
      handled.push(seq)
      if (seq === 3) closed = first.close()
    })
    await add(10)
    await until(() => closed !== undefined)
    await closed
    assert.deepStrictEqual(handled, [1, 2, 3])
    assert.strictEqual((await petstore.events.consumers.get("one")).position, 3)
    await consume("one", (seq) => handled.push(seq))
    await until(() => handled.length >= 10)
    assert.deepStrictEqual(handled, from(1, 10))
    await petstore.close()
  })

  it("when a handler fails, then those behind its event wait for it, and others handle theirs", async () => {
    const { add, consume, petstore } = await opened()
    const [failing, other]: [Array<string>, Array<number>] = [[], []]
    await consume("failing", (seq, { attempt }) => {
      failing.push(`${seq} ${attempt}`)
      if (seq === 2 && attempt === 1) throw new Error("No")
    })
    await consume("other", (seq) => other.push(seq))
    await add(3)
    await until(() => other.length === 3)
    assert.deepStrictEqual(
      [failing, other],
      [
        ["1 1", "2 1"],
        [1, 2, 3]
      ]
    )
    assert.deepInclude(await petstore.events.consumers.get("failing"), { position: 1, attempts: 1 })
    await petstore.close()
  })

  it("when it handles an event, then in the asynchronous context in which it was opened", async () => {
    const { add, consume, petstore } = await opened()
    const storage = new AsyncLocalStorage<string>()
    const seen: Array<string | undefined> = []
    for (const name of ["first", "second"]) {
      await storage.run(name, () => consume(name, () => seen.push(storage.getStore())))
    }
    await storage.run("order", () => add(2))
    await until(() => seen.length >= 4)
    assert.deepStrictEqual(seen.toSorted(), ["first", "first", "second", "second"])
    await petstore.close()
  })
})
