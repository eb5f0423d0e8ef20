import { parseTimestamp } from "../domain/Timestamp.ts"
import { isStoredTime } from "./storedTime.ts"

// Nine digits of time, five of a counter that may grow, eight of the engine: see Journal.
const form = /^evt_[0-9a-z]{22,60}$/

/** The last time that was read: events that follow each other are often of one time. */
let last = { timestamp: "", millis: Number.NaN }

const millisOf = (timestamp: string): number => {
  if (timestamp !== last.timestamp) {
    const millis = isStoredTime(timestamp) ? Date.parse(timestamp) : parseTimestamp(timestamp)
    last = { timestamp, millis: millis ?? Number.NEGATIVE_INFINITY }
  }
  return last.millis
}

/** The last time that an id began with. Only ids of the form are read, so the beginning is whole. */
let made = { beginning: " ", millis: Number.NaN }

const madeAt = (id: string): number => {
  if (!id.startsWith(made.beginning)) {
    made = { beginning: id.slice(0, 13), millis: Number.parseInt(id.slice(4, 13), 36) }
  }
  return made.millis
}

/** Whether this can be the id of an event of this time: ids begin with the time at which they were made. */
export const isEventId = (id: string, timestamp: string): boolean => form.test(id) && madeAt(id) >= millisOf(timestamp)
