/** Messages of the queue. */

import * as Effect from "effect/Effect"
import type { MessageWithDelivery } from "../../domain/messages/Message.ts"
import { messageAttempts, stateProblem } from "../../domain/messages/MessageState.ts"
import { messages } from "../../tables/index.ts"
import { compare, type Finding, type Row } from "./Finding.ts"
import { before, contentOf, type MessageStep, type ReplayedMessage } from "./MessageLog.ts"
import { eachRowOf, type Pass } from "./Pass.ts"
import type { Rule } from "./Report.ts"

/** An event of a message follows the one before it, and has the same content. */
const messageStepProblem = ({ after, event }: MessageStep): Finding => {
  const { seq, subject, timestamp, type } = event
  if (!before[type].includes(after?.type)) return { seq, type, subject, after: after?.type ?? "nothing" }
  if (event.type === "message.deleted" || after?.type === "message.deleted") return undefined
  const { createdAt, message } = event.data
  if (after !== undefined && "content" in after) {
    return compare({ seq, type, subject }, { digest: contentOf(event.data) }, { digest: after.content })
  }
  const expected = after?.data ?? { message, createdAt: timestamp }
  return compare(
    { seq, type, subject },
    { message, createdAt },
    { message: expected.message, createdAt: expected.createdAt }
  )
}

/** The fields of a row without their values. */
const absent = (row: Row): Row => Object.fromEntries(Object.keys(row).map((field) => [field, undefined]))

/** The row of a message is what its last event shows. The attempts at a queued message are recorded in its row alone. */
const replayedMessageProblem = ({ event, id: messageId, row }: ReplayedMessage): Finding => {
  if (row === undefined) return { messageId, problem: "there is no such row" }
  if (event === undefined) return { messageId, problem: "no event is about it" }
  if (event.type === "message.deleted") return { messageId, problem: "it was deleted" }
  const isQueued = event.type === "message.queued" && row.status === "queued"
  const shown = ({ id: _, ...message }: MessageWithDelivery): Row => {
    const { createdAt, message: text, status } = message
    return isQueued ? { message: text, status, createdAt } : message
  }
  const [stored, expected] = [shown(row), shown(event.data)]
  return compare({ messageId }, { ...absent(expected), ...stored }, expected)
}

export const messageRules: ReadonlyArray<Rule> = [
  {
    name: "messages_have_events",
    demands:
      "A message is as its latest event shows it, and exists until it is deleted. It is queued first, and again only after it failed. Only a queued message fails, and only a queued or failed one is delivered.",
    check: {
      message: replayedMessageProblem,
      messageStep: messageStepProblem,
      foldedMessage: ({ digest, expected, messageId }) => compare({ messageId }, { digest }, { digest: expected })
    }
  },
  {
    name: "message_attempts",
    demands:
      "A message has begun at most ten attempts, and no more than it was claimed. Only a queued message has a lease or a due time, never both. Only a delivered or failed message has the time of its end. A delivered message has no error.",
    check: {
      messageRow: (record) => {
        const problem =
          stateProblem(record) ??
          (record.attempts > messageAttempts ? `A message has at most ${messageAttempts} attempts` : undefined)
        return problem === undefined || { messageId: record.id, problem }
      }
    }
  }
]

/** Checks each message by itself, and notes it with its events. */
export const noteMessages = (pass: Pass) => {
  const check = pass.report.on("messageRow")
  const times = ["due_at", "lease_until"]
  return eachRowOf(pass, messages, { id: "messageId", ids: "messages", times }, (record) => {
    check(record)
    pass.note("messages", record.id, ["message", record])
  })
}

/** Checks messages with their events. */
export const verifyMessages = ({ buckets, log, nextNoted, results, takeFacts }: Pass) =>
  buckets.each(
    [],
    nextNoted("messages"),
    Effect.fnUntraced(function* ({ bucket }) {
      yield* takeFacts("messages", bucket, (fact) => {
        if (fact[0] === "message") log.compareMessage(fact[1])
      })
      log.finish()
      results.finish()
    })
  )
