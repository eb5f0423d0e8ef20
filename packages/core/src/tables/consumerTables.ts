import { parkedKeyOf } from "../domain/consumers/Consumer.ts"
import type { EventType } from "../domain/events/Event.ts"
import type { Lease } from "../domain/Lease.ts"
import { columnsOf, query, table } from "../kernel/Table.ts"

/** A consumer of events as it is stored. */
export interface ConsumerRecord {
  readonly name: string
  /** The `seq` of the last event that it is done with, together with all before it. */
  readonly position: number
  readonly lease: Lease
  /** Who holds the lease; absent if nobody does. A claim of it counts only with the holder that it was made for. */
  readonly holder?: string
  /** The types of events that the last holder handles. Default: every type. */
  readonly types?: ReadonlyArray<EventType>
  /** How often the next event has failed. */
  readonly attempts: number
  /** When that event is tried again; absent if it has not failed. */
  readonly retryAt?: string
  /** The last failure, also of an event that was handled later. */
  readonly failure?: { readonly message: string; readonly at: string }
  readonly createdAt: string
}

/** An event that a consumer has passed without handling it, because it failed too often. */
export interface ParkedEventRecord {
  readonly consumer: string
  /** The `seq` of the event. */
  readonly seq: number
  /** How often it has failed. */
  readonly attempts: number
  readonly failure: string
  readonly parkedAt: string
  /** Whether the consumer is to handle it now. */
  readonly replay: boolean
}

const consumer = columnsOf<ConsumerRecord>()
const parked = columnsOf<ParkedEventRecord>()

/** One that another process has added meanwhile stays as it is. */
export const consumers = table<ConsumerRecord, string>("consumers", {
  key: ["id"],
  existing: "kept",
  columns: {
    id: consumer.text("name"),
    position: consumer.integer("position"),
    fence: consumer.integer("lease.fence"),
    lease_until: consumer.time("lease.until?"),
    holder: consumer.text("holder?"),
    types: consumer.json("types?"),
    attempts: consumer.integer("attempts"),
    retry_at: consumer.time("retryAt?"),
    failure: consumer.text("failure?.message"),
    failed_at: consumer.time("failure?.at"),
    created_at: consumer.time("createdAt")
  },
  checks: [
    "id <> ''",
    "position >= 0",
    "fence >= 0",
    "(holder IS NULL) = (lease_until IS NULL)",
    "json_type(types) = 'array' AND json_array_length(types) > 0",
    "attempts >= 0",
    "(retry_at IS NULL) = (attempts = 0)",
    "attempts = 0 OR failure IS NOT NULL",
    "(failed_at IS NULL) = (failure IS NULL)"
  ],
  fill: 50
})

/** The consumers after a name, in the order of names. */
export const consumersAfter = query(consumers, "consumersAfter", (after: string) => [{ after: [after] }])

/** The parked events of consumers, whose locks keep them as they are. */
export const parkedEvents = table<ParkedEventRecord, string>("parkedEvents", {
  key: ["consumer", "seq"],
  keyOf: parkedKeyOf,
  keyValues: (key) => {
    const end = key.lastIndexOf(" ")
    return [key.slice(0, end), Number(key.slice(end))]
  },
  columns: {
    consumer: parked.text("consumer"),
    seq: parked.integer("seq"),
    attempts: parked.integer("attempts"),
    failure: parked.text("failure"),
    parked_at: parked.time("parkedAt"),
    replay: parked.boolean("replay")
  },
  checks: ["seq >= 1", "attempts >= 1"],
  existing: "replaced",
  references: { consumer: "consumers" },
  ownerOf: ({ consumer: name }) => ({ table: consumers, key: name }),
  indexes: { replays: { equal: ["consumer"], order: ["seq"], where: [{ column: "replay", is: true }] } }
})

/** Of a consumer, behind an event. */
export interface OfConsumer {
  readonly consumer: string
  readonly after: number
}

/** The parked events of a consumer, after one of them. */
export const parkedEventsOf = query(parkedEvents, "parkedEventsOf", ({ after, consumer: name }: OfConsumer) => [
  { equal: { consumer: name }, after: [after] }
])

/** The parked events of a consumer that are to be handled now. */
export const replaysOf = query(parkedEvents, "replaysOf", ({ after, consumer: name }: OfConsumer) => [
  { index: "replays", equal: { consumer: name }, after: [after] }
])
