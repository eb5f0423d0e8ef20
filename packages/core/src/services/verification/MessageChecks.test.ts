import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../domain/Message.ts"
import { MessageChecks } from "./MessageChecks.ts"

const message: Message = { id: "msg_1", message: "Hello", status: "queued", createdAt: "2026-05-04T09:30:00.000Z" }

describe("messages_told", () => {
  it("pairs messages with their events, whichever comes first", () => {
    const checks = new MessageChecks()
    checks.add("event", "msg_2", "queued")
    checks.add("event", "msg_1", "queued")
    checks.add("row", "msg_1", "queued")
    checks.add("row", "msg_2", "queued")
    checks.finish()
    assert.strictEqual(checks.told.result.violations, 0)
  })

  it("reports each side that lacks the other, or comes twice", () => {
    const checks = new MessageChecks()
    checks.add("row", "msg_1", "queued")
    checks.add("row", "msg_1", "delivered")
    for (const status of ["queued", "delivered", "failed"] as const) checks.add("event", "msg_1", status)
    checks.add("row", "msg_2", "queued")
    checks.add("event", "msg_3", "queued")
    checks.add("event", "msg_3", "queued")
    checks.finish()
    assert.deepStrictEqual(checks.told.result.examples, [
      { messageId: "msg_3", problem: "an event message.queued too many" },
      { messageId: "msg_1", problem: "an event message.failed too many" },
      { messageId: "msg_2", problem: "no event message.queued" },
      { messageId: "msg_3", problem: "an event message.queued too many" }
    ])
  })

  it("forgets what was reported", () => {
    const checks = new MessageChecks()
    checks.add("row", "msg_1", "queued")
    checks.finish()
    checks.add("event", "msg_1", "queued")
    checks.finish()
    assert.deepStrictEqual(
      checks.told.result.examples.map(({ problem }) => problem),
      ["no event message.queued", "an event message.queued too many"]
    )
  })

  it("reports another text or time than the event tells", () => {
    const checks = new MessageChecks()
    checks.compare(message, message)
    checks.compare(message, { ...message, message: "Hi" })
    checks.compare(message, { ...message, createdAt: "soon" })
    assert.deepStrictEqual(checks.told.result.examples, [
      { messageId: "msg_1", message: { found: "Hi", expected: "Hello" } },
      { messageId: "msg_1", createdAt: { found: "soon", expected: message.createdAt } }
    ])
  })
})
