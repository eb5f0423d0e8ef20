/** The log of events, and the rows that it gives. */

import { sameRecord } from "../../records/ResourceRecord.ts"
import { isConsistent, isReplayable } from "../eventRules.ts"
import { compare, compareReplayed, type Finding } from "../Finding.ts"
import { isEventId } from "../isEventId.ts"
import { remains } from "../ResourceLog.ts"
import type { Rule } from "../Rule.ts"
import {
  replayedCategory,
  replayedOrder,
  replayedPet,
  replayedStock,
  storedCategory,
  storedOrder,
  storedPet,
  storedStock
} from "../replayedRows.ts"
import type { Subjects } from "../Subjects.ts"
import { versionProblem } from "../versionProblem.ts"

/** Compares the rows of a table that have ended with what is kept of their events. */
const ofTable =
  (table: string) =>
  ({ expected, found, rows, table: of }: Subjects["settled"]): Finding =>
    of === table ? compare({ rows }, { ...found }, { ...expected }) : undefined

export const logRules: ReadonlyArray<Rule> = [
  {
    name: "events_numbered",
    demands: "The events are numbered 1, 2, 3 and so on, without a gap, from the first that is kept.",
    check: { eventNumber: ({ expectedSeq, seq }) => seq === expectedSeq || { seq, expected: expectedSeq } }
  },
  {
    name: "checkpoints_whole",
    demands: "What is kept of events that were removed is as it was written.",
    check: {
      checkpoint: ({ problem, subject }) => problem === undefined || { subject, problem },
      checkpoints: ({ expected, found }) => compare({}, { ...found }, { ...expected })
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
    demands: "The id of an event has the form of one, and is not older than the time of the event.",
    check: { event: ({ id, seq, timestamp }) => isEventId(id, timestamp) || { seq, id, timestamp } }
  },
  {
    name: "event_statuses",
    demands:
      "The status in an event of a pet is the one that the events of its stock give, and so is the previous status.",
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
      "The first event of a resource creates it, in version 1. The version grows by one when, and only when, callers see the resource change. No event repeats the one before.",
    check: { change: versionProblem }
  },
  {
    name: "ends_are_final",
    demands:
      "No event follows the deletion of a pet, a category or a webhook, or the end of an order, but that of the record of a completed one.",
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
    demands: "Replaying the events gives every category as it is, its version and its times included.",
    check: {
      replayedCategory: ({ id, record, replayed }) =>
        compareReplayed("categories", id, record && storedCategory(record), replayed && replayedCategory(replayed)),
      settled: ofTable("categories")
    }
  },
  {
    name: "events_replay_pets",
    demands: "Replaying the events gives every pet as it is, its version and its times included.",
    check: {
      replayedPet: ({ id, record, replayed }) =>
        compareReplayed("pets", id, record && storedPet(record), replayed && replayedPet(replayed)),
      settled: ofTable("pets")
    }
  },
  {
    name: "events_replay_inventory",
    demands: "Replaying the events gives the stock of every pet as it is, its hold and its version included.",
    check: {
      replayedStock: ({ id, record, replayed }) =>
        compareReplayed("inventory", id, record && storedStock(record), replayed && replayedStock(replayed)),
      settled: ofTable("pets")
    }
  },
  {
    name: "events_replay_orders",
    demands: "Replaying the events gives every order as it is, its version and its times included.",
    check: {
      replayedOrder: ({ id, record, replayed }) =>
        compareReplayed("orders", id, record && storedOrder(record), replayed && replayedOrder(replayed)),
      settled: ofTable("orders")
    }
  },
  {
    name: "events_replay_records",
    demands:
      "Replaying the events gives the external id and the metadata of every pet, category and order. Deleted ones have none.",
    check: {
      replayedRecord: ({ id, kind, replayed, stored }) =>
        sameRecord(stored, replayed) ||
        compare(
          { subject: `${kind}/${id}` },
          { externalId: stored.externalId, metadata: JSON.stringify(stored.metadata) },
          { externalId: replayed.externalId, metadata: JSON.stringify(replayed.metadata) }
        )
    }
  }
]
