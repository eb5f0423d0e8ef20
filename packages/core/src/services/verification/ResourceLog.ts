import type { EventType } from "../../domain/Event.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import { Check, type Row } from "./Check.ts"
import type { IdChecks } from "./IdChecks.ts"

/** The latest that the events say of one resource, and the type of the one that ended it. */
export interface Told<A> {
  readonly data: A
  readonly end?: EventType
}

/** The rules of all resources that events tell of. */
export class ResourceRules {
  readonly versions = new Check(
    "event_versions",
    "The first event of a resource tells of its creation, in version 1; the version grows by one when, and only when, the resource is answered differently; no event repeats the one before."
  )
  readonly final = new Check(
    "ends_are_final",
    "No event tells of a pet or a category after its deletion, nor of an order after its completion or cancellation."
  )
  readonly all = [this.versions, this.final]
}

/**
 * Replays the events of one kind of resource. Each event carries the whole state, so the latest one of a resource is
 * what all of them come to.
 */
export class ResourceLog<A extends { readonly version: number }> {
  /** That replaying gives every row as it is. */
  readonly tells: Check
  private readonly collection: string
  private readonly alike: (a: A, b: A) => boolean
  private readonly rules: ResourceRules
  private readonly ids: IdChecks
  private readonly latest = new Map<number, Told<A>>()

  /** `alike` tells whether two states are answered alike, that is, whether the version stays. */
  constructor(collection: string, alike: (a: A, b: A) => boolean, tells: Check, rules: ResourceRules, ids: IdChecks) {
    this.collection = collection
    this.alike = alike
    this.tells = tells
    this.rules = rules
    this.ids = ids
  }

  find(id: number): Told<A> | undefined {
    return this.latest.get(id)
  }

  created(event: EventRecord, id: number, data: A): void {
    const isFirst = !this.latest.has(id)
    this.ids.creation(isFirst, event)
    if (isFirst) this.expectVersion(event, data.version, 1)
    this.latest.set(id, { data })
  }

  changed(event: EventRecord, id: number, data: A): void {
    const told = this.latest.get(id)
    if (told === undefined) this.rules.versions.expect(false, () => notCreated(event))
    else if (!this.goesOn(event, told)) return
    // A change that completes an order has two events, with the same data.
    else if (event.type !== "order.completed" && repeats(told.data, data))
      this.rules.versions.expect(false, () => repetition(event))
    else this.expectVersion(event, data.version, told.data.version + (this.alike(told.data, data) ? 0 : 1))
    this.latest.set(id, { data })
  }

  ended(event: EventRecord, id: number): void {
    const told = this.latest.get(id)
    if (told === undefined) this.rules.versions.expect(false, () => notCreated(event))
    else if (this.goesOn(event, told)) this.end(id, event.type)
  }

  /** Notes the end of a resource, whatever the event that told of it was about. */
  end(id: number, by: EventType): void {
    const told = this.latest.get(id)
    if (told !== undefined) this.latest.set(id, { ...told, end: told.end ?? by })
  }

  /** Holds a row against what the events say of it, which is then forgotten. */
  compare(id: number, row: Row, expected: (told: Told<A>) => Row): void {
    const told = this.latest.get(id)
    this.latest.delete(id)
    if (told === undefined) this.tells.expect(false, () => ({ ...this.about(id), problem: "no event tells of it" }))
    else this.tells.agree(this.about(id), row, expected(told))
  }

  /** Reports what no row was compared with, and begins anew. */
  finish(): void {
    for (const id of this.latest.keys()) {
      this.tells.expect(false, () => ({ ...this.about(id), problem: "there is no row of it" }))
    }
    this.latest.clear()
  }

  private about(id: number) {
    return { subject: `${this.collection}/${id}` }
  }

  private goesOn({ seq, subject, type }: EventRecord, { end }: Told<A>): boolean {
    this.rules.final.expect(end === undefined, () => ({ seq, type, subject, after: end }))
    return end === undefined
  }

  private expectVersion({ seq, subject, type }: EventRecord, version: number, expected: number): void {
    this.rules.versions.agree({ seq, type, subject }, { version }, { version: expected })
  }
}

const notCreated = ({ seq, subject, type }: EventRecord): Row => ({ seq, type, subject, problem: "not created before" })

/** Whether a state has nothing that the state before does not have. */
const repeats = (before: object, data: object): boolean => {
  const known = new Map(Object.entries(before))
  return Object.entries(data).every(([field, value]) => known.get(field) === value)
}

const repetition = ({ seq, subject, type }: EventRecord): Row => ({ seq, type, subject, problem: "tells nothing new" })
