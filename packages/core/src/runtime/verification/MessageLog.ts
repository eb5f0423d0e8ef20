import type { EventOf, EventType } from "../../domain/events/Event.ts"
import type { MessageWithDelivery } from "../../domain/messages/Message.ts"
import { type MessageRecord, toMessage } from "../../domain/messages/MessageState.ts"
import { digestOf } from "./digest.ts"

export type MessageEvent = { [Type in Extract<EventType, `message.${string}`>]: EventOf<Type> }[Extract<
  EventType,
  `message.${string}`
>]

/** What may come before each event of a message: undefined for nothing. */
export const before: { readonly [Type in MessageEvent["type"]]: ReadonlyArray<MessageEvent["type"] | undefined> } = {
  "message.queued": [undefined, "message.failed"],
  // A webhook may deliver a message that has failed.
  "message.delivered": ["message.queued", "message.failed"],
  "message.failed": ["message.queued"],
  "message.deleted": ["message.queued", "message.delivered", "message.failed"]
}

/** What removed events leave of a message that was not deleted. */
export interface FoldedMessage {
  /** The type of the last event. */
  readonly type: Exclude<MessageEvent["type"], "message.deleted">
  /** The digest of what never changes. */
  readonly content: number
  /** The digest of all that the last event shows. */
  readonly shown: number
}

/** The digest of what never changes of a message. */
export const contentOf = ({ createdAt, message }: Pick<MessageWithDelivery, "createdAt" | "message">): number =>
  digestOf(message, createdAt)

/** The digest of what the latest event of a message shows. The attempts at a queued message are in its row alone. */
const shownOf = (message: MessageWithDelivery): number => {
  const { attempts = 0, createdAt, deliveredAt = "", failedAt = "", lastError = "", message: text, status } = message
  return status === "queued"
    ? digestOf(text, createdAt, status)
    : digestOf(text, createdAt, status, attempts, deliveredAt, failedAt, lastError)
}

/** The step that an event takes a message, which may be impossible. */
export interface MessageStep {
  readonly event: MessageEvent
  /** The event of the message before, or what is left of it; undefined if there is none. */
  readonly after: MessageEvent | FoldedMessage | undefined
}

/** A row of a message with the message that its events show; one of them may be missing. */
export interface ReplayedMessage {
  readonly id: string
  readonly row: MessageWithDelivery | undefined
  /** The latest event. */
  readonly event: MessageEvent | undefined
}

/** What a message log reports. */
interface MessageChecks {
  readonly step: (step: MessageStep) => void
  readonly message: (message: ReplayedMessage) => void
  readonly folded: (folded: { readonly messageId: string; readonly digest: number; readonly expected: number }) => void
}

/** Replays the events of messages, and compares the messages with what comes out. */
export class MessageLog {
  private readonly check: MessageChecks
  private readonly latest = new Map<string, MessageEvent | FoldedMessage>()

  constructor(check: MessageChecks) {
    this.check = check
  }

  /** Continues with what removed events leave of a message. */
  restore(id: string, folded: FoldedMessage): void {
    this.latest.set(id, folded)
  }

  /** What the events so far leave of a message; undefined if it was deleted. */
  folded(id: string): FoldedMessage | undefined {
    const latest = this.latest.get(id)
    if (latest === undefined || latest.type === "message.deleted") return undefined
    if ("content" in latest) return latest
    const { data, type } = latest
    return { type, content: contentOf(data), shown: shownOf(data) }
  }

  /** Replays an event. Returns whether it is the first one of its message. */
  replay(event: MessageEvent): boolean {
    const { id } = event.data
    const after = this.latest.get(id)
    this.check.step({ event, after })
    this.latest.set(id, event)
    return after === undefined
  }

  compare(record: MessageRecord): void {
    const { id } = record
    const row = toMessage(record)
    const latest = this.latest.get(id)
    this.latest.delete(id)
    if (latest === undefined || !("content" in latest)) this.check.message({ id, row, event: latest })
    else this.check.folded({ messageId: id, digest: shownOf(row), expected: latest.shown })
  }

  /** Checks that every message that was not deleted had its row, and starts again. */
  finish(): void {
    for (const [id, latest] of this.latest) {
      if (latest.type === "message.deleted") continue
      this.check.message({ id, row: undefined, event: "content" in latest ? undefined : latest })
    }
    this.latest.clear()
  }
}
