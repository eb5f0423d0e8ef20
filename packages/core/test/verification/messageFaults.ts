import type { MessageRecord } from "../../src/domain/messages/MessageState.ts"
import { about, again, change, type Damage, type Fault, without } from "./Fault.ts"

const hello = "msg_0000000000001400000000"
const bye = "msg_0000000000001600000000"

const changeBye = (fields: Partial<MessageRecord>): Damage => ({
  messages: change(
    ({ message }) => message === "Bye",
    (message) => ({ ...message, ...fields })
  )
})

/** Faults of messages. */
export const messageFaults: ReadonlyArray<Fault> = [
  {
    given: "an event of a message that is lost",
    damage: { messages: (messages) => messages.slice(1) },
    found: { messages_have_events: [{ messageId: hello, problem: "there is no such row" }] }
  },
  {
    given: "a message without an event",
    damage: { events: without(({ subject }) => subject === `messages/${bye}`) },
    found: { messages_have_events: [{ messageId: bye, problem: "no event is about it" }] }
  },
  {
    given: "a message that was queued twice",
    damage: { events: again(about(`messages/${hello}`)) },
    found: {
      messages_have_events: [{ seq: 47, type: "message.queued", subject: `messages/${hello}`, after: "message.queued" }]
    }
  },
  {
    given: "a message with another text than the one queued",
    damage: changeBye({ message: "Hi" }),
    found: { messages_have_events: [{ messageId: bye, message: { found: "Hi", expected: "Bye" } }] }
  },
  {
    given: "a delivered message without an event of its delivery",
    damage: changeBye({ status: "delivered", finishedAt: "2026-05-04T09:30:00.000Z" }),
    found: {
      messages_have_events: [
        {
          messageId: bye,
          status: { found: "delivered", expected: "queued" },
          deliveredAt: { found: "2026-05-04T09:30:00.000Z", expected: null }
        }
      ]
    }
  },
  {
    given: "a message with more attempts than claims",
    damage: changeBye({ attempts: 2, lease: { fence: 1 } }),
    found: { message_attempts: [{ messageId: bye, problem: "A message has no more attempts than claims" }] }
  },
  {
    given: "a message with more attempts than there can be",
    damage: changeBye({ attempts: 11, lease: { fence: 11 } }),
    found: { message_attempts: [{ messageId: bye, problem: "A message has at most 10 attempts" }] }
  },
  {
    given: "a message that is due at no time",
    damage: changeBye({ lease: { fence: 1 }, dueAt: "soon" }),
    found: { times_valid: [{ messageId: bye, dueAt: "soon" }] }
  }
]
