import type { EventOf, EventType } from "../../domain/events/Event.ts"
import type { ApiKeyEventData } from "../../domain/events/eventData.ts"
import type { ApiKeyRecord } from "../../tables/accessTables.ts"
import type { Row } from "./Finding.ts"
import { shownList } from "./replayedRows.ts"

type ApiKeyEventType = Extract<EventType, `apiKey.${string}`>

export type ApiKeyEvent = { [Type in ApiKeyEventType]: EventOf<Type> }[ApiKeyEventType]

/** An API key as its latest event shows it. */
export type ReplayedApiKey = Pick<ApiKeyEvent, "type" | "data">

/** An event of an API key, and what the events before it leave; undefined if there is none. */
export interface ApiKeyStep {
  readonly event: ApiKeyEvent
  readonly after: ReplayedApiKey | undefined
}

/** What never changes of a key. */
export const shownApiKey = ({ accountId, createdAt, expiresAt, name, scopes }: ApiKeyEventData): Row => ({
  accountId,
  name,
  scopes: shownList(scopes),
  createdAt,
  expiresAt
})

/** What a log of API keys reports. */
interface ApiKeyChecks {
  readonly step: (step: ApiKeyStep) => void
  /** An API key as it is stored, and as its events show it; undefined if there is none. */
  readonly row: (row: {
    readonly table: "apiKeys"
    readonly id: number
    readonly stored: Row | undefined
    readonly expected: Row | undefined
  }) => void
}

/**
 * Replays the events of API keys, and compares the keys with them. A key that a release without such events has made has none until it
 * changes, so its first event may be of any type.
 */
export class ApiKeyLog {
  private readonly check: ApiKeyChecks
  private readonly latest = new Map<number, ReplayedApiKey>()

  constructor(check: ApiKeyChecks) {
    this.check = check
  }

  /** An API key as the events so far show it. */
  find(id: number): ReplayedApiKey | undefined {
    return this.latest.get(id)
  }

  /** Continues with an API key as removed events leave it. */
  restore(id: number, replayed: ReplayedApiKey): void {
    this.latest.set(id, replayed)
  }

  replay(event: ApiKeyEvent): void {
    const { data, type } = event
    this.check.step({ event, after: this.latest.get(data.id) })
    this.latest.set(data.id, { type, data })
  }

  compare({ key, revoked }: ApiKeyRecord): void {
    const event = this.latest.get(key.id)
    this.latest.delete(key.id)
    if (event === undefined) return
    // A server of a release without such events may have revoked it since.
    const isRevoked = event.type === "apiKey.revoked" ? { revoked } : {}
    this.check.row({
      table: "apiKeys",
      id: key.id,
      stored: { ...shownApiKey(key), ...isRevoked },
      expected: { ...shownApiKey(event.data), revoked: true }
    })
  }

  /** Checks that every event had its key. */
  finish(): void {
    for (const id of this.latest.keys())
      this.check.row({ table: "apiKeys", id, stored: undefined, expected: undefined })
    this.latest.clear()
  }
}
