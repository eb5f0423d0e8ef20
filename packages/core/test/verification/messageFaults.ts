import { about, again, change, type Fault, without } from "./Fault.ts"

/** Faults of messages. */
export const messageFaults: ReadonlyArray<Fault> = [
  {
    given: "an event of a message that is lost",
    damage: { messages: (messages) => messages.slice(1) },
    found: {
      messages_have_events: [{ messageId: "msg_0000000000001400000000", problem: "an event message.queued too many" }]
    }
  },
  {
    given: "a message without an event",
    damage: { events: without(({ subject }) => subject === "messages/msg_0000000000001600000000") },
    found: { messages_have_events: [{ messageId: "msg_0000000000001600000000", problem: "no event message.queued" }] }
  },
  {
    given: "a message that was queued twice",
    damage: { events: again(about("messages/msg_0000000000001400000000")) },
    found: {
      messages_have_events: [{ messageId: "msg_0000000000001400000000", problem: "an event message.queued too many" }]
    }
  },
  {
    given: "a message with another text than the one queued",
    damage: {
      messages: change(
        ({ message }) => message === "Bye",
        (message) => ({ ...message, message: "Hi" })
      )
    },
    found: {
      messages_have_events: [{ messageId: "msg_0000000000001600000000", message: { found: "Hi", expected: "Bye" } }]
    }
  },
  {
    given: "a delivered message without an event of its delivery",
    damage: {
      messages: change(
        ({ message }) => message === "Bye",
        (message) => ({ ...message, status: "delivered" })
      )
    },
    found: {
      messages_have_events: [{ messageId: "msg_0000000000001600000000", problem: "no event message.delivered" }]
    }
  }
]
