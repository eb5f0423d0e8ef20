import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../domain/Message.ts"
import { MessagePairs } from "./MessagePairs.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"

const message: Message = { id: "msg_1", message: "Hello", status: "queued", createdAt: "2026-05-04T09:30:00.000Z" }

const started = () => {
  const report = new Report(rules)
  const examples = () => report.results.find(({ name }) => name === "messages_have_events")?.examples
  return { report, pairs: new MessagePairs(report.on("unpairedMessage")), examples }
}

describe("messages_have_events", () => {
  it("pairs messages with their events, whichever comes first", () => {
    const { examples, pairs } = started()
    pairs.add("event", "msg_2", "queued")
    pairs.add("event", "msg_1", "queued")
    pairs.add("row", "msg_1", "queued")
    pairs.add("row", "msg_2", "queued")
    pairs.finish()
    assert.deepStrictEqual(examples(), [])
  })

  it("reports each side that lacks the other, or comes twice", () => {
    const { examples, pairs } = started()
    pairs.add("row", "msg_1", "queued")
    pairs.add("row", "msg_1", "delivered")
    for (const status of ["queued", "delivered", "failed"] as const) pairs.add("event", "msg_1", status)
    pairs.add("row", "msg_2", "queued")
    pairs.add("event", "msg_3", "queued")
    pairs.add("event", "msg_3", "queued")
    pairs.finish()
    assert.deepStrictEqual(examples(), [
      { messageId: "msg_3", problem: "an event message.queued too many" },
      { messageId: "msg_1", problem: "an event message.failed too many" },
      { messageId: "msg_2", problem: "no event message.queued" },
      { messageId: "msg_3", problem: "an event message.queued too many" }
    ])
  })

  it("forgets what was reported", () => {
    const { examples, pairs } = started()
    pairs.add("row", "msg_1", "queued")
    pairs.finish()
    pairs.add("event", "msg_1", "queued")
    pairs.finish()
    assert.deepStrictEqual(
      examples()?.map(({ problem }) => problem),
      ["no event message.queued", "an event message.queued too many"]
    )
  })

  it("reports another text or time than in the event", () => {
    const { examples, report } = started()
    const check = report.on("message")
    check({ event: message, row: message })
    check({ event: message, row: { ...message, message: "Hi" } })
    check({ event: message, row: { ...message, createdAt: "soon" } })
    assert.deepStrictEqual(examples(), [
      { messageId: "msg_1", message: { found: "Hi", expected: "Hello" } },
      { messageId: "msg_1", createdAt: { found: "soon", expected: message.createdAt } }
    ])
  })
})
