/** The log of events, and the rows that it gives. */

import * as Effect from "effect/Effect"
import { type EventType, eventTypes } from "../../domain/events/Event.ts"
import { type CountedRecord, sameRecord } from "../../domain/records/ResourceRecord.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import type { RemovedEvents } from "./checkpoint/noteCheckpoints.ts"
import { isConsistent, isReplayable, rowOf, tableOf } from "./eventRules.ts"
import { compare, type Finding, sameFields } from "./Finding.ts"
import type { Pass } from "./Pass.ts"
import { beforeAll, eachPage } from "./pages.ts"
import type { Rule } from "./Report.ts"
import { type Change, remains, repeats } from "./ResourceLog.ts"
import type { Subjects } from "./Subjects.ts"
import { isEventId } from "./storedForms.ts"

/** The version of a resource after an event: 1 at its creation, one more with each change. */
const versionProblem = ({ before, does, event }: Change): Finding => {
  const { seq, subject, type } = event
  const versionIs = (version: number, expected: number) =>
    version === expected || compare({ seq, type, subject }, { version }, { version: expected })
  if (does.what === "creates") return before === undefined ? versionIs(does.data.version, 1) : undefined
  if (before === undefined) return { seq, type, subject, problem: "not created before" }
  if (does.what === "ends" || does.what === "records" || before.end !== undefined) return undefined
  // A change that completes an order has two events, with the same data.
  if (type !== "order.completed" && repeats(before.data, does.data)) {
    return { seq, type, subject, problem: "repeats the event before" }
  }
  return versionIs(does.data.version, before.data.version + (does.isSame ? 0 : 1))
}

/** Compares a row of a table with what its events give of it. */
export const replayedIn =
  (name: string) =>
  ({ expected, stored, id, table }: Subjects["replayedRow"]): Finding => {
    if (table !== name) return undefined
    if (stored !== undefined && expected !== undefined && sameFields(stored, expected)) return true
    const subject = `${table}/${id}`
    if (stored === undefined) return { subject, problem: "there is no such row" }
    return expected === undefined
      ? { subject, problem: "no event is about it" }
      : compare({ subject }, stored, expected)
  }

/** Compares the rows of a table that have ended with what is kept of their events. */
const settledIn =
  (name: string) =>
  ({ expected, stored, rows, table }: Subjects["settled"]): Finding =>
    table === name ? compare({ rows }, { ...stored }, { ...expected }) : undefined

const partsOf = ({ changes, externalId, metadata }: CountedRecord, owner: string | undefined) => ({
  externalId,
  metadata: JSON.stringify(metadata),
  changes,
  owner
})

export const logRules: ReadonlyArray<Rule> = [
  {
    name: "events_numbered",
    demands: "The events are numbered without a gap, from the first that is kept.",
    check: { eventNumber: ({ expectedSeq, seq }) => seq === expectedSeq || { seq, expected: expectedSeq } }
  },
  {
    name: "checkpoints_whole",
    demands: "What is kept of removed events is as it was written.",
    check: {
      checkpoint: ({ problem, subject }) => problem === undefined || { subject, problem },
      checkpoints: ({ expected, stored }) => compare({}, { ...stored }, { ...expected })
    }
  },
  {
    name: "events_consistent",
    demands:
      "An event is about the resource whose data it carries. The data is whole, and the status, free units and completion in it follow from the rest.",
    check: {
      event: (event) => {
        const { seq, subject, type } = event
        return (isReplayable(event) && isConsistent(event)) || { seq, type, subject }
      }
    }
  },
  {
    name: "event_ids",
    demands: "The id of an event is well-formed, and not older than its time.",
    check: { event: ({ id, seq, timestamp }) => isEventId(id, timestamp) || { seq, id, timestamp } }
  },
  {
    name: "event_statuses",
    demands: "The status and the previous status in an event of a pet follow from the events of its stock.",
    check: {
      status: (step) => {
        if (step.by === "nothing") return { petId: step.petId, status: step.announced }
        const { petId, seq, status, type } = step.event
        if (step.by === "status change") {
          const { previous } = step
          const { before, now } = step.known
          return (
            (status === now && previous === before) ||
            compare({ seq, type, petId }, { status, previous }, { status: now, previous: before })
          )
        }
        const { announced } = step
        const holds = announced === undefined || (step.by === "stock" && announced === status)
        return holds || { seq, type, petId, status, statusOfPet: announced }
      }
    }
  },
  {
    name: "event_versions",
    demands:
      "The first event of a resource creates it, in version 1. The version grows by one exactly when callers see the resource change. No event repeats the one before.",
    check: { change: versionProblem }
  },
  {
    name: "ends_are_final",
    demands:
      "No event follows the deletion of a pet, category or webhook, or the end of an order, except that of the record of a complete one.",
    check: {
      change: ({ before, does, event: { seq, subject, type } }) => {
        if (does.what === "creates" || before === undefined) return undefined
        const mayFollow = does.what === "records" ? remains(before) : before.end === undefined
        return mayFollow || { seq, type, subject, after: before.end }
      }
    }
  },
  {
    name: "events_replay_categories",
    demands: "Replaying the events gives every category, with its version and times.",
    check: { replayedRow: replayedIn("categories"), settled: settledIn("categories") }
  },
  {
    name: "events_replay_pets",
    demands: "Replaying the events gives every pet, with its version and times.",
    check: { replayedRow: replayedIn("pets"), settled: settledIn("pets") }
  },
  {
    name: "events_replay_inventory",
    demands: "Replaying the events gives the stock of every pet, with its hold and version.",
    check: { replayedRow: replayedIn("inventory"), settled: settledIn("pets") }
  },
  {
    name: "events_replay_orders",
    demands: "Replaying the events gives every order, with its version and times.",
    check: { replayedRow: replayedIn("orders"), settled: settledIn("orders") }
  },
  {
    name: "events_replay_records",
    demands:
      "Replaying the events gives the external id, metadata and number of changes of every record, and the owner of an order. Deleted resources have no record.",
    check: {
      replayedRecord: ({ id, kind, owners, replayed, stored }) =>
        (stored.changes === replayed.changes && owners.stored === owners.expected && sameRecord(stored, replayed)) ||
        compare({ subject: `${kind}/${id}` }, partsOf(stored, owners.stored), partsOf(replayed, owners.expected))
    }
  },
  {
    name: "events_replay_webhooks",
    demands: "Replaying the events gives every webhook endpoint, with its version, except for its URL and secrets.",
    check: { replayedRow: replayedIn("webhooks") }
  }
]

/** Events by their numbers. */
export const bySeq = (records: ReadonlyArray<EventRecord>) => {
  const events = new Map<number, Array<EventRecord>>()
  for (const event of records) {
    const same = events.get(event.seq)
    if (same === undefined) events.set(event.seq, [event])
    else same.push(event)
  }
  return events
}

/** The pet in an event of an order. */
const petOfOrder = ({ data, type }: EventRecord): number | undefined =>
  eventTypes[type].relatedField !== undefined && "petId" in data ? data.petId : undefined

const seqOf = ({ seq }: { readonly seq: number }): number => seq

/** Checks the numbers of events, and notes each with the row that it is about, with which it is checked. */
export const noteEvents = ({ checkEvent, note, onRead, report, store }: Pass, removed: RemovedEvents) => {
  const { find, scan, scanOutlines } = store.events
  const checkNumber = report.on("eventNumber")
  let latest = removed.last
  const noteNext = (seq: number): void => {
    checkNumber({ seq, expectedSeq: latest + 1 })
    latest = seq
  }
  const noteAbout = (seq: number, type: EventType, id: number | string, petId: number | undefined): void => {
    const table = tableOf(type)
    if (petId !== undefined) note("pets", petId, ["orderEvent", seq, type, id, petId])
    note(table, table === "messages" ? String(id) : id, seq)
  }
  const noteWhole = (event: EventRecord): void => {
    if (isReplayable(event)) noteAbout(event.seq, event.type, rowOf(event).id, petOfOrder(event))
    else checkEvent(event)
  }
  if (scanOutlines === undefined) {
    return eachPage(scan, beforeAll, seqOf, (page) => {
      for (const event of page) {
        noteNext(event.seq)
        noteWhole(event)
      }
      onRead(page.length)
      return Effect.void
    })
  }
  return eachPage(
    scanOutlines,
    beforeAll,
    seqOf,
    Effect.fnUntraced(function* (page) {
      const unknown = page.flatMap(({ about, seq }) => (about === undefined ? [seq] : []))
      const whole = unknown.length > 0 ? bySeq(yield* find(unknown)) : undefined
      // Events of a row are replayed in the order in which they are noted.
      for (const { about, seq } of page) {
        noteNext(seq)
        if (about !== undefined) noteAbout(seq, about.type, about.id, about.related)
        else {
          for (const event of whole?.get(seq) ?? []) noteWhole(event)
          whole?.delete(seq)
        }
      }
      onRead(page.length)
    })
  )
}
