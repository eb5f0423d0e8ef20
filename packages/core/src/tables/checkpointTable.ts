import { StorageBusy } from "../domain/errors/ServiceErrors.ts"
import { columnsOf, table } from "../kernel/Table.ts"

/** What is kept of events that were removed from the log. The petstore defines what the rows mean. */
export interface CheckpointRecord {
  /** What the row is about, such as `orders/7`; unique. ASCII. */
  readonly subject: string
  /** The last event that the row includes. That of the row `log` is the last event that was removed. */
  readonly seq: number
  /** As JSON. */
  readonly state: string
}

const checkpoint = columnsOf<CheckpointRecord>()

/** The row of the log itself: its `seq` is that of the last event that was removed. */
export const logSubject = "log"

/** The row of the last verification that was recorded: its `seq` is that of the last event then. */
export const verificationSubject = "verification"

/** What is kept of events that were removed from the log, and of the last verification. */
export const checkpoints = table<CheckpointRecord, string>("checkpoints", {
  key: ["subject"],
  existing: "replaced",
  busy: (cause) => new StorageBusy({}, { cause }),
  columns: {
    subject: checkpoint.text("subject"),
    seq: checkpoint.integer("seq"),
    state: checkpoint.text("state")
  },
  checks: ["seq >= 1", "json_type(state) = 'object'"],
  fill: 80,
  // Whoever has locked the row of the log may change all of them.
  ownerOf: () => ({ table: { name: "checkpoints" }, key: logSubject })
})
