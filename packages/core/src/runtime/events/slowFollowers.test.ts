import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { memory } from "../../memory/MemoryStorage.ts"
import { createPetstore } from "../../petstore/createPetstore.ts"
import { runtimeOf } from "../../petstore/openPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { tailPage } from "../../programs/events/EventTail.ts"

const events = 10_000

const all = Array.from({ length: events }, (_, index) => index + 1)

const immediate = () => new Promise<void>((resolve) => setImmediate(resolve))

const until = async (what: string, isSo: () => boolean) => {
  for (let looks = 0; looks < 3_000 && !isSo(); looks++) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.isTrue(isSo(), what)
}

/** A petstore, a handler that hangs in its first event until it is released and is slow from then on, and what it has handled. */
const opened = async () => {
  const petstore = await createPetstore({ storage: memory() })
  const storage = Context.get(await runtimeOf(petstore).context(), Storage)
  const handled: Array<number> = []
  const most = { ahead: 0, atOnce: 0, running: 0 }
  const { scan } = storage.events
  Reflect.set(storage.events, "scan", (...args: Parameters<typeof scan>) =>
    Effect.map(scan(...args), (page) => {
      // The shared reader of the end of the log asks for other pages, and keeps some of them.
      const [, limit] = args
      if (limit !== tailPage) most.ahead = Math.max(most.ahead, (page.at(-1)?.seq ?? 0) - (handled.at(-1) ?? 0))
      return page
    })
  )
  const gate = Promise.withResolvers<void>()
  const handle = async ({ seq }: { readonly seq: number }) => {
    most.atOnce = Math.max(most.atOnce, ++most.running)
    if (seq === 1) await gate.promise
    await immediate()
    most.running--
    handled.push(seq)
  }
  const commit = async (count: number) => {
    for (let number = 1; number <= count; number++) await petstore.categories.create({ name: `Category ${number}` })
  }
  return { petstore, handled, handle, commit, most, release: () => gate.resolve() }
}

describe("given a follower that is slow", () => {
  it("when 10,000 events are committed while a subscriber hangs, then commits do not wait, and it gets each once, read a page at a time", async () => {
    const { commit, handle, handled, most, petstore, release } = await opened()
    const subscription = await petstore.events.subscribe(handle)
    await commit(events)
    const { lag, latest } = (await petstore.stats()).events
    assert.deepStrictEqual([handled.length, latest, subscription.position], [0, events, 0])
    assert.strictEqual(lag, events)
    release()
    await until("all events", () => handled.length >= events)
    await immediate()
    assert.deepStrictEqual(handled, all)
    assert.strictEqual(subscription.position, events)
    assert.strictEqual(most.atOnce, 1)
    assert.isAbove(most.ahead, 0)
    assert.isAtMost(most.ahead, tailPage)
    await petstore.close()
  })

  it("when 10,000 events are committed while a consumer hangs, and another takes over halfway, then each is handled once", async () => {
    const { commit, handle, handled, most, petstore, release } = await opened()
    const first = await petstore.events.consume("slow", handle, { after: 0 })
    await commit(events)
    assert.deepStrictEqual([handled.length, await petstore.events.latest()], [0, events])
    assert.deepInclude(await petstore.events.consumers.get("slow"), { position: 0, lag: events })
    release()
    await until("half of the events", () => handled.length >= events / 2)
    await first.close()
    const half = handled.length
    assert.isBelow(half, events)
    assert.deepInclude(await petstore.events.consumers.get("slow"), { position: half, lag: events - half })
    const second = await petstore.events.consume("slow", handle)
    await until("all events", () => handled.length >= events)
    await second.close()
    assert.deepStrictEqual(handled, all)
    assert.deepInclude(await petstore.events.consumers.get("slow"), { position: events, lag: 0 })
    assert.strictEqual(most.atOnce, 1)
    assert.isAbove(most.ahead, 0)
    assert.isAtMost(most.ahead, tailPage)
    await petstore.close()
  })
})
