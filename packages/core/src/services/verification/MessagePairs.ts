import type { MessageStatus } from "../../domain/Message.ts"

/** Where a message was found to have a status. */
export type MessageSide = "row" | "event"

/** A status of a message that has no event, or an event that has no such message. */
export interface UnpairedMessage {
  readonly side: MessageSide
  readonly messageId: string
  readonly status: string
}

/** Pairs the statuses of messages with their events. */
export class MessagePairs {
  private readonly check: (unpaired: UnpairedMessage) => void
  private readonly waiting = new Map<string, MessageSide>()

  constructor(check: (unpaired: UnpairedMessage) => void) {
    this.check = check
  }

  /** Adds one side of a pair: an event, or a row that must have one. */
  add(side: MessageSide, messageId: string, status: MessageStatus): void {
    const key = `${status} ${messageId}`
    const other = this.waiting.get(key)
    if (other === undefined) this.waiting.set(key, side)
    else if (other === side) this.check({ side, messageId, status })
    else this.waiting.delete(key)
  }

  /** Checks what is left without its other side, and starts again. */
  finish(): void {
    for (const [key, side] of this.waiting) {
      const [status = "", messageId = ""] = key.split(" ", 2)
      this.check({ side, messageId, status })
    }
    this.waiting.clear()
  }
}
