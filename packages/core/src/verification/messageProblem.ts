import type { MessageWithDelivery } from "../messages/Message.ts"
import { compare, type Finding, type Row } from "./Finding.ts"
import { before, contentOf, type MessageStep, type ReplayedMessage } from "./MessageLog.ts"

/** An event of a message follows the one before it, and has the same content. */
export const messageStepProblem = ({ after, event }: MessageStep): Finding => {
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
export const replayedMessageProblem = ({ event, id: messageId, row }: ReplayedMessage): Finding => {
  if (row === undefined) return { messageId, problem: "there is no such row" }
  if (event === undefined) return { messageId, problem: "no event is about it" }
  if (event.type === "message.deleted") return { messageId, problem: "it was deleted" }
  const isQueued = event.type === "message.queued" && row.status === "queued"
  const shown = ({ id: _, ...message }: MessageWithDelivery): Row => {
    const { createdAt, message: text, status } = message
    return isQueued ? { message: text, status, createdAt } : message
  }
  const [found, expected] = [shown(row), shown(event.data)]
  return compare({ messageId }, { ...absent(expected), ...found }, expected)
}
