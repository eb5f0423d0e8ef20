import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../domain/Message.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import { MessageChecks } from "./MessageChecks.ts"

const at = "2026-05-04T09:30:00.000Z"

const message = (id: string, status: Message["status"] = "queued"): Message => ({
  id,
  message: "Hello",
  status,
  createdAt: at
})

const event = (id: string, status: Message["status"] = "queued"): EventRecord => ({
  seq: 1,
  id: `evt_${id}`,
  type: `message.${status}`,
  subject: `messages/${id}`,
  timestamp: at,
  data: message(id, status)
})

describe("given messages and events that come in another order", () => {
  it("then they find each other, and the rows are behind until they have caught up", () => {
    const checks = new MessageChecks()
    assert.isFalse(checks.isBehind)
    checks.addEvent(event("msg_2"))
    checks.addEvent(event("msg_1"))
    assert.isTrue(checks.isBehind)
    checks.addRow(message("msg_1"))
    assert.isTrue(checks.isBehind)
    checks.addRow(message("msg_2"))
    assert.isFalse(checks.isBehind)
    checks.addRow(message("msg_3"))
    checks.addEvent(event("msg_3"))
    checks.finish()
    assert.strictEqual(checks.told.result.checked, 3)
    assert.strictEqual(checks.told.result.violations, 0)
  })
})

describe("given a message that is delivered", () => {
  it("then it needs the events of both, in the state that each tells", () => {
    const checks = new MessageChecks()
    checks.addEvent(event("msg_1"))
    checks.addRow(message("msg_1", "delivered"))
    checks.addEvent(event("msg_1", "delivered"))
    checks.finish()
    assert.strictEqual(checks.told.result.checked, 2)
    assert.strictEqual(checks.told.result.violations, 0)
  })

  it("then an event of its failure is too many", () => {
    const checks = new MessageChecks()
    checks.addRow(message("msg_1", "delivered"))
    for (const status of ["queued", "delivered", "failed"] as const) checks.addEvent(event("msg_1", status))
    checks.finish()
    assert.deepStrictEqual(checks.told.result.examples, [
      { messageId: "msg_1", problem: "an event message.failed too many" }
    ])
  })
})
