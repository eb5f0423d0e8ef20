import type { Message } from "../../domain/Message.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import { Check } from "./Check.ts"

interface Waiting {
  readonly side: "row" | "event"
  readonly message: Message
}

/**
 * Pairs messages with their events. Both come in about the same order, so only those wait for their counterpart that
 * are a little ahead of it: read rows whenever they are {@link isBehind}.
 */
export class MessageChecks {
  readonly told = new Check(
    "messages_told",
    "A message has the event of its queueing and, where it is delivered or failed, of that; each such event has its message."
  )
  private readonly waiting = new Map<string, Waiting>()
  private readonly latest = { row: "", event: "" }

  /** Whether the events are further than the rows. */
  get isBehind(): boolean {
    return this.latest.event > this.latest.row
  }

  addRow(message: Message): void {
    this.latest.row = message.id
    this.pair({ side: "row", message: { ...message, status: "queued" } })
    if (message.status !== "queued") this.pair({ side: "row", message })
  }

  addEvent({ data, type }: EventRecord): void {
    if (type !== "message.queued" && type !== "message.delivered" && type !== "message.failed") return
    if (data.id > this.latest.event) this.latest.event = data.id
    this.pair({ side: "event", message: data })
  }

  /** Call it when every row and every event was added. */
  finish(): void {
    for (const { message, side } of this.waiting.values()) this.report(message, side)
  }

  private pair(one: Waiting): void {
    const { id: messageId, ...fields } = one.message
    const key = `${fields.status} ${messageId}`
    const other = this.waiting.get(key)
    if (other === undefined) this.waiting.set(key, one)
    else if (other.side === one.side) this.report(one.message, one.side)
    else {
      const { id: _same, ...others } = other.message
      this.waiting.delete(key)
      this.told.agree({ messageId }, one.side === "row" ? fields : others, one.side === "row" ? others : fields)
    }
  }

  private report({ id: messageId, status }: Message, side: Waiting["side"]): void {
    const problem = side === "row" ? `no event message.${status}` : `an event message.${status} too many`
    this.told.expect(false, () => ({ messageId, problem }))
  }
}
