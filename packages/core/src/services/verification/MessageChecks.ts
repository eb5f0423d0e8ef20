import type { Message, MessageStatus } from "../../domain/Message.ts"
import { Check } from "./Check.ts"

/** Where a message was found to have a status. */
export type MessageSide = "row" | "event"

/** Pairs messages with their events. */
export class MessageChecks {
  readonly told = new Check(
    "messages_told",
    "A message has the event of its queueing and, where it is delivered or failed, of that; each such event has its message."
  )
  private readonly waiting = new Map<string, MessageSide>()

  /** Holds what an event tells against the row of the message. */
  compare({ id: messageId, createdAt, message }: Message, row: Message): void {
    this.told.agree({ messageId }, { message: row.message, createdAt: row.createdAt }, { message, createdAt })
  }

  /** Counts one side of a pair: an event, or a row that must have one. */
  add(side: MessageSide, id: string, status: MessageStatus): void {
    const key = `${status} ${id}`
    const other = this.waiting.get(key)
    if (other === undefined) this.waiting.set(key, side)
    else if (other === side) this.report(side, id, status)
    else this.waiting.delete(key)
  }

  /** Reports what has no counterpart in a bucket. */
  finish(): void {
    for (const [key, side] of this.waiting) {
      const [status = "", id = ""] = key.split(" ", 2)
      this.report(side, id, status)
    }
    this.waiting.clear()
  }

  private report(side: MessageSide, messageId: string, status: string): void {
    const problem = side === "row" ? `no event message.${status}` : `an event message.${status} too many`
    this.told.expect(false, () => ({ messageId, problem }))
  }
}
