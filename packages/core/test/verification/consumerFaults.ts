import type { ConsumerRecord } from "../../src/tables/consumerTables.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { change, type Fault } from "./Fault.ts"

const consumerWith = (fields: Partial<ConsumerRecord>) =>
  change<ConsumerRecord>(
    () => true,
    (row) => ({ ...row, ...fields })
  )

const wrong: ReadonlyArray<readonly [given: string, fields: Partial<ConsumerRecord>, problem: string]> = [
  ["beyond the log", { position: 1_000 }, "its position is not that of an event"],
  ["between two events", { position: 2.5 }, "its position is not that of an event"],
  [
    "with a lease that nobody claimed",
    { lease: { fence: 0, until: "1970-01-01T00:00:00.000Z" } },
    "it has a lease without a claim"
  ],
  [
    "with a lease of nobody",
    { lease: { fence: 1, until: "1970-01-01T00:00:00.000Z" } },
    "it has a lease without a holder"
  ],
  ["with a holder without a lease", { holder: "1-a" }, "it has a lease without a holder"],
  ["of types that do not exist", { types: untyped(["pet.eaten"]) }, "it handles types that do not exist"],
  ["of no types", { types: [] }, "it handles types that do not exist"],
  ["with half an attempt", { attempts: 0.5 }, "its attempts are not a whole number"],
  ["with an attempt that failed for ever", { attempts: 1 }, "its failed event has no next attempt"],
  [
    "with an attempt that failed for no reason",
    { attempts: 1, retryAt: "1970-01-01T00:00:00.000Z" },
    "its failed event has no failure"
  ]
]

/** Faults of consumers and their parked events. */
export const consumerFaults: ReadonlyArray<Fault> = [
  ...wrong.map(
    ([given, fields, problem]): Fault => ({
      given: `a consumer ${given}`,
      damage: { consumers: consumerWith(fields) },
      found: { consumers_valid: [{ consumer: "invoices", problem }] }
    })
  ),
  {
    given: "a consumer with another name",
    damage: { consumers: consumerWith({ name: "Ünvoices" }) },
    found: {
      consumers_valid: [{ consumer: "Ünvoices", problem: "its name is not a valid consumer name" }],
      parked_events_passed: [{ consumer: "invoices", seq: 2, problem: "there is no such consumer" }]
    }
  },
  {
    given: "a parked event that its consumer has not come to",
    damage: {
      parkedEvents: change(
        () => true,
        (event) => ({ ...event, seq: 4 })
      )
    },
    found: { parked_events_passed: [{ consumer: "invoices", seq: 4, problem: "its consumer is not past it" }] }
  },
  {
    given: "a parked event that has not failed",
    damage: {
      parkedEvents: change(
        () => true,
        (event) => ({ ...event, attempts: 0 })
      )
    },
    found: { parked_events_passed: [{ consumer: "invoices", seq: 2, problem: "it has not failed" }] }
  }
]
