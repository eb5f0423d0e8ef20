/** Messages of the queue. */

import { messageAttempts, stateProblem } from "../../messages/MessageState.ts"
import { compare } from "../Finding.ts"
import { messageStepProblem, replayedMessageProblem } from "../messageProblem.ts"
import type { Rule } from "../Rule.ts"

export const messageRules: ReadonlyArray<Rule> = [
  {
    name: "messages_have_events",
    demands:
      "A message is as its latest event shows it, and is there until it is deleted. It is queued first, and again only after it failed; only a queued message fails, only a queued or failed one is delivered, and only a delivered one is deleted.",
    check: {
      message: replayedMessageProblem,
      messageStep: messageStepProblem,
      foldedMessage: ({ digest, expected, messageId }) => compare({ messageId }, { digest }, { digest: expected })
    }
  },
  {
    name: "message_attempts",
    demands:
      "A message has begun no more attempts than it was claimed, and at most ten. Only a queued one has a lease, or a time when it is due, and never both; only one that was delivered or failed has the time of that; a delivered one has no error.",
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
