import { assert, describe, it } from "@effect/vitest"
import { type MessageRecord, queued, toMessage } from "../../domain/messages/MessageState.ts"
import { type MessageEvent, MessageLog } from "./MessageLog.ts"
import { Report } from "./Report.ts"
import { rules } from "./rules.ts"

const at = "2026-05-04T09:30:00.000Z"
const later = "2026-05-04T09:31:00.000Z"

const row = queued("msg_1", "Hello", at)
const done = { ...row, attempts: 2, lease: { fence: 2 }, finishedAt: later }
const delivered: MessageRecord = { ...done, status: "delivered" }
const failed: MessageRecord = { ...done, status: "failed", lastError: "No connection" }

const events = {
  queued: { type: "message.queued", data: toMessage(row), timestamp: at },
  requeued: { type: "message.queued", data: toMessage(row), timestamp: later },
  delivered: { type: "message.delivered", data: toMessage(delivered), timestamp: later },
  failed: { type: "message.failed", data: toMessage(failed), timestamp: later },
  deleted: { type: "message.deleted", data: { id: "msg_1" }, timestamp: later }
} as const

type Name = keyof typeof events

/** What verification finds of a message with these events, in this order, and this row. */
const found = (names: ReadonlyArray<Name>, record?: MessageRecord, removed = 0) => {
  const report = new Report(rules)
  const start = () =>
    new MessageLog({
      step: report.on("messageStep"),
      message: report.on("message"),
      folded: report.on("foldedMessage")
    })
  let log = start()
  for (const [index, name] of names.entries()) {
    log.replay({ ...events[name], seq: index + 1, id: "", subject: "messages/msg_1" } as MessageEvent)
    if (index + 1 !== removed) continue
    const folded = log.folded("msg_1")
    log = start()
    if (folded !== undefined) log.restore("msg_1", folded)
  }
  if (record !== undefined) log.compare(record)
  log.finish()
  return report.results.find(({ name }) => name === "messages_have_events")?.examples
}

const step = (seq: number, type: string, after: string) => ({
  seq,
  type: `message.${type}`,
  subject: "messages/msg_1",
  after: after === "nothing" ? after : `message.${after}`
})

describe("messages_have_events", () => {
  const histories: ReadonlyArray<readonly [ReadonlyArray<Name>, MessageRecord | undefined]> = [
    [["queued"], row],
    [["queued"], { ...row, attempts: 3, lease: { fence: 3, until: later } }],
    [["queued", "delivered"], delivered],
    [["queued", "failed"], failed],
    [["queued", "failed", "requeued"], { ...row, lease: { fence: 2 }, dueAt: later }],
    [["queued", "failed", "requeued", "delivered"], delivered],
    [["queued", "delivered", "deleted"], undefined],
    [["queued", "failed", "deleted"], undefined],
    [["queued", "deleted"], undefined]
  ]
  for (const [names, record] of histories) {
    it(`takes a message that is ${names.join(", ")}, whichever of its events are removed`, () => {
      for (let removed = 0; removed <= names.length; removed++) {
        assert.deepStrictEqual(found(names, record, removed), [])
      }
    })
  }

  it("reports events that cannot follow each other", () => {
    assert.deepStrictEqual(found(["delivered"], delivered), [step(1, "delivered", "nothing")])
    assert.deepStrictEqual(found(["queued", "queued"], row), [step(2, "queued", "queued")])
    assert.deepStrictEqual(found(["queued", "delivered", "delivered"], delivered), [step(3, "delivered", "delivered")])
    assert.deepStrictEqual(found(["queued", "delivered", "failed"], failed), [step(3, "failed", "delivered")])
    assert.deepStrictEqual(found(["queued", "delivered", "requeued"], row), [step(3, "queued", "delivered")])
    assert.deepStrictEqual(found(["deleted"]), [step(1, "deleted", "nothing")])
    assert.deepStrictEqual(found(["queued", "deleted", "deleted"]), [step(3, "deleted", "deleted")])
  })

  it("reports what removed events do not show", () => {
    const reported = (names: ReadonlyArray<Name>, record: MessageRecord | undefined) =>
      found(names, record, names.length)?.map((example) => Object.keys(example))
    assert.deepStrictEqual(reported(["queued"], { ...row, message: "Hi" }), [["messageId", "digest"]])
    assert.deepStrictEqual(reported(["queued", "failed"], { ...failed, lastError: "Oh" }), [["messageId", "digest"]])
    assert.deepStrictEqual(reported(["queued", "failed"], delivered), [["messageId", "digest"]])
    assert.deepStrictEqual(reported(["queued"], undefined), [["messageId", "problem"]])
    assert.deepStrictEqual(found(["queued", "queued"], row, 1), [step(2, "queued", "queued")])
  })

  it("reports a row or an event without the other", () => {
    assert.deepStrictEqual(found([], row), [{ messageId: "msg_1", problem: "no event is about it" }])
    assert.deepStrictEqual(found(["queued"]), [{ messageId: "msg_1", problem: "there is no such row" }])
    assert.deepStrictEqual(found(["queued", "delivered", "deleted"], delivered), [
      { messageId: "msg_1", problem: "it was deleted" }
    ])
  })

  it("reports each field of the row that its latest event does not show", () => {
    assert.deepStrictEqual(found(["queued"], { ...row, message: "Hi", createdAt: later }), [
      {
        messageId: "msg_1",
        message: { found: "Hi", expected: "Hello" },
        createdAt: { found: later, expected: at }
      }
    ])
    assert.deepStrictEqual(found(["queued", "failed"], { ...failed, lastError: "Oh", attempts: 1 }), [
      {
        messageId: "msg_1",
        attempts: { found: 1, expected: 2 },
        lastError: { found: "Oh", expected: "No connection" }
      }
    ])
    assert.deepStrictEqual(found(["queued", "delivered"], failed), [
      {
        messageId: "msg_1",
        status: { found: "failed", expected: "delivered" },
        deliveredAt: { found: null, expected: later },
        failedAt: { found: later, expected: null },
        lastError: { found: "No connection", expected: null }
      }
    ])
  })

  it("reports a message that was first queued at another time than it was created", () => {
    assert.deepStrictEqual(found(["requeued"], row), [
      { seq: 1, type: "message.queued", subject: "messages/msg_1", createdAt: { found: at, expected: later } }
    ])
  })
})
