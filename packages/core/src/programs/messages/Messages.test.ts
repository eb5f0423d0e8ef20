import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Commands } from "@petstore/core/runtime"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../../laboratory/locks/withLockChecks.ts"
import { messages } from "../../tables/index.ts"
import { giveUpMessage } from "./messageCommands.ts"

/** A petstore with messages that have failed, and two that are queued. */
const withFailed = async (count: number) => {
  const petstore = await testPetstore({ storage: withLockChecks(memory()) })
  const queued = [await petstore.messages.enqueue("First")]
  const failed: Array<string> = []
  for (let n = 1; n <= count; n++) failed.push((await petstore.messages.enqueue(`Message ${n}`)).id)
  queued.push(await petstore.messages.enqueue("Last"))
  await runtimeOf(petstore).runPromise(
    Effect.flatMap(Commands, ({ run }) =>
      run("deliveries.record", function* (call) {
        for (const message of (yield* call.tx.lockAll(messages, failed)).values()) giveUpMessage(call, message, "No")
      })
    )
  )
  return { failed, petstore, queued }
}

describe("given messages that have failed", () => {
  it("when all are queued again, then each call does 100 of them, once each", async () => {
    const { failed, petstore } = await withFailed(205)
    await using _ = petstore
    const { latest } = petstore.events
    const before = await latest()
    const first = await petstore.messages.requeueAll({ status: "failed" })
    assert.deepStrictEqual(first, { requeued: 100, next: failed[99] ?? "" })
    const second = await petstore.messages.requeueAll({ status: "failed", after: failed[99] ?? "" })
    assert.deepStrictEqual(second, { requeued: 100, next: failed[199] ?? "" })
    assert.deepStrictEqual(await petstore.messages.requeueAll({ status: "failed", after: failed[199] ?? "" }), {
      requeued: 5
    })
    assert.deepStrictEqual(await petstore.messages.requeueAll({ status: "failed" }), { requeued: 0 })
    assert.strictEqual((await latest()) - before, 205)
    assert.deepStrictEqual((await petstore.messages.list({ status: "failed" })).items, [])
    assert.isTrue((await petstore.verify()).ok)
  })

  it("when exactly as many as a call does have failed, then there is no next one", async () => {
    const { petstore } = await withFailed(100)
    await using _ = petstore
    assert.deepStrictEqual(await petstore.messages.requeueAll({ status: "failed" }), { requeued: 100 })
  })

  it("when one of any status is deleted, then the store stays consistent", async () => {
    const { failed, petstore, queued } = await withFailed(1)
    await using _ = petstore
    for (const id of [failed[0] ?? "", queued[0]?.id ?? ""]) await petstore.messages.delete(id)
    assert.deepStrictEqual((await petstore.messages.list()).items, queued.slice(1))
    assert.isTrue((await petstore.verify()).ok)
  })
})
