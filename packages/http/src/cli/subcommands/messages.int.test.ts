import { assert, describe } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore } from "@petstore/core/effect"
import { MessageQueue } from "@petstore/core/services"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { printed, test } from "../../../test/support/cliTest.ts"

/** Queues three messages: one is delivered, one fails, one stays queued. Returns their ids. */
const fill = (file: string) =>
  Effect.gen(function* () {
    const { messages } = yield* Petstore
    const queue = yield* MessageQueue
    const ids: Array<string> = []
    const finish = (outcome: "delivered" | { readonly error: string }) =>
      Effect.gen(function* () {
        const { items } = yield* queue.recordAndClaim([], 1, 30_000)
        for (const { id, lease } of items)
          yield* queue.recordAndClaim([{ item: { id, fence: lease.fence }, outcome }], 0, 0)
      })
    ids.push((yield* messages.enqueue("Hello")).id)
    yield* finish("delivered")
    ids.push((yield* messages.enqueue("Bye,\nor so")).id)
    for (let attempt = 1; attempt <= 10; attempt++) {
      yield* finish({ error: "No connection" })
      yield* TestClock.adjust("10 hours")
    }
    ids.push((yield* messages.enqueue("Later")).id)
    return ids
  }).pipe(Effect.provide(Petstore.layer(sqlite(file))), Effect.orDie)

describe("petstore messages", () => {
  test("given messages in every state, then list shows them, and requeue queues the failed one", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      const [delivered = "", failed = "", queued = ""] = yield* fill(file)
      const text = yield* output("messages", "list")
      assert.match(text, /^id +status +attempts +when +message +last error\n/)
      for (const part of [delivered, failed, queued, "Bye, or so", "No connection"]) assert.include(text, part)
      const ids = (list: string) => JSON.parse(list).map(({ id }: { readonly id: string }) => id)
      assert.deepStrictEqual(ids(yield* output("messages", "list", "--json")), [delivered, failed, queued])
      assert.deepStrictEqual(ids(yield* output("messages", "list", "--status", "failed", "--json")), [failed])

      assert.strictEqual(yield* output("messages", "requeue", failed), failed)
      assert.deepStrictEqual(ids(yield* output("messages", "list", "--status", "queued", "--json")), [failed, queued])
      assert.strictEqual(printed(yield* run("messages", "requeue", "--all")).stderr, "No message has failed.")
      const refused = printed(yield* run("messages", "requeue", delivered))
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, `Message ${delivered} is delivered.`)
    }))

  test("given no message to queue again, or both ids and --all, then it exits with 2", ({ file, run }) =>
    Effect.gen(function* () {
      const [, failed = ""] = yield* fill(file)
      for (const args of [[], [failed, "--all"]]) {
        const { code, stderr } = printed(yield* run("messages", "requeue", ...args))
        assert.deepStrictEqual([code, stderr], [2, "petstore: Give either the ids of messages or --all."])
      }
      assert.strictEqual(printed(yield* run("messages", "requeue", "--all")).stderr, "1 message(s) are queued.")
      assert.strictEqual(printed(yield* run("messages", "requeue", "msg_0")).code, 1)
      assert.strictEqual(printed(yield* run("messages", "requeue", "Hello")).code, 2)
    }))
})
