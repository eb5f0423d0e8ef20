import { parseTimestamp } from "../../domain/Timestamp.ts"
import { isStoredTime } from "./storedTime.ts"

// Nine digits of time, five of a counter that may grow, eight of the engine: see Journal.
const form = /^evt_([0-9a-z]{9})[0-9a-z]{13,51}$/

const millisOf = (timestamp: string): number | undefined =>
  isStoredTime(timestamp) ? Date.parse(timestamp) : parseTimestamp(timestamp)

/** Whether this can be the id of an event of this time: ids begin with the time at which they were made. */
export const isEventId = (id: string, timestamp: string): boolean => {
  const [, made] = form.exec(id) ?? []
  return made !== undefined && Number.parseInt(made, 36) >= (millisOf(timestamp) ?? Number.NEGATIVE_INFINITY)
}
