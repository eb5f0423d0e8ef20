import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { longestLeaseMillis } from "../Lease.ts"
import { plusMillis } from "../Timestamp.ts"
import {
  acknowledge,
  attemptLost,
  claim,
  extend,
  fail,
  giveUp,
  isClaimable,
  isSuspect,
  longestMessageDelayMillis,
  type MessageRecord,
  messageAttempts,
  messageRetries,
  queued,
  reasonOf,
  release,
  requeue,
  stateProblem,
  succeed,
  toMessage
} from "./MessageState.ts"

const start = "2026-05-04T09:30:00.000Z"
const at = (millis: number) => plusMillis(start, millis)
const lease = 30_000

const message = queued("msg_1", "Hello", start)

const isThere = (record: MessageRecord | undefined): MessageRecord => {
  if (record === undefined) throw new Error("The change is refused")
  assert.isUndefined(stateProblem(record))
  return record
}

const claimed = (record: MessageRecord, now = record.dueAt ?? start) => isThere(claim(record, now, lease))

const failedOnce = (record: MessageRecord, now: string) => isThere(fail(record, record.lease.fence, "No", now, 0.5))

const failedForGood = (): MessageRecord => {
  let record = message
  for (let attempt = 1; attempt <= messageAttempts; attempt++) {
    const now = record.dueAt ?? start
    record = failedOnce(claimed(record, now), now)
  }
  return record
}

describe("a queued message", () => {
  it("shows nothing but what it was queued with", () => {
    assert.deepStrictEqual(toMessage(message), { id: "msg_1", message: "Hello", status: "queued", createdAt: start })
  })

  it("can be claimed since it was queued, which begins an attempt", () => {
    assert.isUndefined(claim(message, at(-1), lease))
    const first = claimed(message)
    assert.deepStrictEqual(first, { ...message, attempts: 1, lease: { fence: 1, until: at(lease) } })
    assert.deepStrictEqual(toMessage(first), { ...toMessage(message), attempts: 1 })
  })

  it("cannot be claimed while its lease lasts, unless a clock that was set back wrote it", () => {
    const first = claimed(message)
    assert.isFalse(isClaimable(first, at(lease - 1)))
    assert.isTrue(isClaimable(first, at(lease)))
    assert.isTrue(isClaimable(first, at(lease - longestLeaseMillis - 1)))
  })

  it("is due at once if a clock that was set back made it wait", () => {
    const waiting = failedOnce(claimed(message), start)
    assert.isFalse(isClaimable(waiting, start))
    assert.isTrue(isClaimable(waiting, at(-longestMessageDelayMillis)))
  })
})

describe("an attempt", () => {
  it("that succeeds delivers the message", () => {
    const delivered = isThere(succeed(claimed(message), 1, at(100)))
    assert.deepStrictEqual(toMessage(delivered), {
      ...toMessage(message),
      status: "delivered",
      attempts: 1,
      deliveredAt: at(100)
    })
  })

  it("that fails makes the message wait, longer from attempt to attempt", () => {
    let record = message
    const waits: Array<number> = []
    for (let attempt = 1; attempt < messageAttempts; attempt++) {
      const now = record.dueAt ?? start
      record = failedOnce(claimed(record, now), now)
      assert.deepStrictEqual(toMessage(record), {
        ...toMessage(message),
        attempts: attempt,
        nextAttemptAt: record.dueAt ?? "",
        lastError: "No"
      })
      waits.push(Date.parse(record.dueAt ?? "") - Date.parse(now))
    }
    assert.deepStrictEqual(waits, [...messageRetries.delays])
  })

  it("that fails as the last one fails the message", () => {
    const failed = failedForGood()
    assert.strictEqual(failed.status, "failed")
    assert.strictEqual(failed.attempts, 10)
    assert.strictEqual(failed.lastError, "No")
    assert.isUndefined(claim(failed, at(10 ** 12), lease))
  })

  it("varies the wait by a fifth", () => {
    const waitOf = (random: number) => fail(claimed(message), 1, "No", start, random)?.dueAt
    assert.strictEqual(waitOf(0), at(4_000))
    assert.strictEqual(waitOf(0.999_999), at(6_000))
  })

  it("that is extended keeps its fence", () => {
    const extended = isThere(extend(claimed(message), 1, at(10_000), lease))
    assert.deepStrictEqual(extended.lease, { fence: 1, until: at(40_000) })
  })

  it("that is given back does not count, and the message is due at once", () => {
    const back = isThere(release(claimed(message), 1, at(10_000)))
    assert.deepStrictEqual(back, { ...message, lease: { fence: 1 }, dueAt: at(10_000) })
    assert.deepStrictEqual(claimed(back).lease, { fence: 2, until: at(10_000 + lease) })
  })

  it("that was lost is followed by another one, and counts from the second on; after the last one the message has failed", () => {
    let record = claimed(message)
    assert.isFalse(isSuspect(message))
    for (let attempt = 1; attempt <= messageAttempts; attempt++) {
      assert.isTrue(isSuspect(record))
      record = claimed(record, record.lease.until)
      assert.strictEqual(record.attempts, attempt)
      assert.strictEqual(record.lastError, attemptLost)
    }
    const failed = claimed(record, record.lease.until)
    assert.strictEqual(failed.status, "failed")
    assert.strictEqual(failed.attempts, 10)
    assert.strictEqual(failed.lastError, attemptLost)
  })

  it("that was lost for the first time does not count, even as the last one", () => {
    let record = message
    for (let attempt = 1; attempt < messageAttempts; attempt++) {
      const now = record.dueAt ?? start
      record = failedOnce(claimed(record, now), now)
    }
    const last = claimed(record)
    const again = claimed(last, last.lease.until)
    assert.deepStrictEqual([again.status, again.attempts], ["queued", messageAttempts])
    assert.strictEqual(isThere(claim(again, again.lease.until ?? "", lease)).status, "failed")
  })

  it("that was lost and then given back is still suspected if others count, until another one fails", () => {
    const first = claimed(message)
    const second = claimed(first, first.lease.until)
    assert.deepStrictEqual(isThere(release(second, 2, at(40_000))), {
      ...message,
      lease: { fence: 2 },
      dueAt: at(40_000)
    })
    const third = claimed(second, second.lease.until)
    const back = isThere(release(third, 3, at(70_000)))
    assert.isTrue(isSuspect(back))
    assert.isFalse(isSuspect(failedOnce(claimed(back), at(70_000))))
  })

  it("is refused everything once another worker has claimed the message, and after its end", () => {
    const first = claimed(message)
    const second = claimed(first, first.lease.until)
    const delivered = isThere(succeed(second, 2, at(40_000)))
    const waiting = failedOnce(second, at(40_000))
    for (const [record, fence] of [
      [second, 1],
      [second, 3],
      [delivered, 2],
      [waiting, 2],
      [message, 0]
    ] as const) {
      assert.isUndefined(succeed(record, fence, at(50_000)))
      assert.isUndefined(fail(record, fence, "No", at(50_000), 0.5))
      assert.isUndefined(extend(record, fence, at(50_000), lease))
      assert.isUndefined(release(record, fence, at(50_000)))
    }
  })

  it("may be recorded after its lease has expired, if nobody has claimed the message since", () => {
    assert.strictEqual(succeed(claimed(message), 1, at(10 * lease))?.status, "delivered")
  })
})

describe("an acknowledgement from elsewhere", () => {
  it("delivers a queued message, whether or not a worker has it, and one that has failed", () => {
    assert.deepStrictEqual(acknowledge(message, at(5)), { ...message, status: "delivered", finishedAt: at(5) })
    for (const record of [failedOnce(claimed(message), start), claimed(message), failedForGood()]) {
      const after = isThere(acknowledge(record, at(5)))
      assert.deepStrictEqual([after.status, after.finishedAt, after.lastError], ["delivered", at(5), undefined])
      assert.isUndefined(stateProblem(after))
    }
  })

  it("takes a message from its worker", () => {
    assert.isUndefined(succeed(isThere(acknowledge(claimed(message), at(5))), 1, at(6)))
  })

  it("changes nothing if it is delivered", () => {
    assert.isUndefined(acknowledge(isThere(succeed(claimed(message), 1, at(5))), at(6)))
  })
})

describe("a failure elsewhere", () => {
  it("ends a queued message that no worker has begun to deliver", () => {
    const after = isThere(giveUp(message, "Webhook 1: No", at(5)))
    assert.deepStrictEqual(after, { ...message, status: "failed", finishedAt: at(5), lastError: "Webhook 1: No" })
    assert.isUndefined(stateProblem(after))
  })

  it("changes nothing once a worker has begun to deliver it, and after its end", () => {
    const delivered = isThere(succeed(claimed(message), 1, at(5)))
    for (const record of [claimed(message), failedOnce(claimed(message), start), delivered, failedForGood()]) {
      assert.isUndefined(giveUp(record, "No", at(5)))
    }
  })
})

describe("queueing again", () => {
  it("gives a failed message all of its attempts, and no worker of before a way to end it", () => {
    const record = Result.getOrThrow(requeue(failedForGood(), at(99)))
    assert.deepStrictEqual(record, { ...message, lease: { fence: 10 }, dueAt: at(99) })
    assert.deepStrictEqual(toMessage(record), toMessage(message))
    assert.isUndefined(succeed(record, 10, at(100)))
  })

  it("makes a message due that webhooks alone have failed to deliver", () => {
    const record = Result.getOrThrow(requeue(isThere(giveUp(message, "No", at(5))), at(99)))
    assert.deepStrictEqual(record, message)
    assert.isTrue(isClaimable(record, at(99)))
  })

  it("leaves a queued message as it is, and is refused for a delivered one", () => {
    const waiting = failedOnce(claimed(message), start)
    assert.deepStrictEqual(requeue(waiting, at(99)), Result.succeed(waiting))
    const refused = requeue(isThere(succeed(claimed(message), 1, start)), at(99))
    assert.isTrue(Result.isFailure(refused) && refused.failure.code === "message_already_delivered")
  })
})

describe("the reason of a failure", () => {
  it("is well-formed text of a limited length", () => {
    assert.strictEqual(reasonOf("  Cannot connect\nto host "), "Cannot connect\nto host")
    assert.strictEqual(reasonOf("a\u0000b\u001b[31m"), "a b [31m")
    assert.strictEqual(reasonOf("\ud800"), "\ufffd")
    assert.strictEqual(reasonOf(" \u0000 "), "The attempt failed without a message.")
    assert.strictEqual(reasonOf("🐶".repeat(500)), "🐶".repeat(500))
    assert.strictEqual(reasonOf("🐶".repeat(501)), `${"🐶".repeat(499)}…`)
    assert.strictEqual([...reasonOf("x".repeat(1_000_000))].length, 500)
  })
})

describe("a stored message that no change makes", () => {
  const done = { ...message, attempts: 1, lease: { fence: 1 }, finishedAt: start } as const
  const counts = "The attempts and the fence of a message are counts"
  const inAttempt = "A message with a lease is in an attempt"
  const cases: ReadonlyArray<readonly [problem: string, record: MessageRecord]> = [
    [counts, { ...message, attempts: -1 }],
    [counts, { ...message, lease: { fence: 0.5 } }],
    ["A message has no more attempts than claims", { ...message, attempts: 1 }],
    ["A delivered message is not due", { ...done, status: "delivered", dueAt: start }],
    ["A failed message is not due", { ...done, status: "failed", lease: { fence: 1, until: start } }],
    [inAttempt, { ...message, lease: { fence: 1, until: start } }],
    [inAttempt, { ...message, attempts: 1, lease: { fence: 1, until: start }, dueAt: start }],
    ["A queued message has no time when it was delivered or failed", { ...message, finishedAt: start }],
    ["A delivered message has the time when it was", { ...message, status: "delivered" }],
    ["A message that was never claimed is due since it was queued", { ...message, dueAt: start }],
    ["A message without attempts has no error", { ...message, lastError: "No" }],
    ["A failed message has an error", { ...done, status: "failed" }],
    ["A delivered message has no error", { ...done, status: "delivered", lastError: "No" }]
  ]
  for (const [problem, record] of cases) {
    it(`is invalid, such as ${JSON.stringify(record)}: ${problem}`, () => {
      assert.strictEqual(stateProblem(record), problem)
    })
  }
})
