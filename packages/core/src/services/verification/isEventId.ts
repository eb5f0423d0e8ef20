import { parseTimestamp } from "../../domain/Timestamp.ts"

const form = /^evt_(?:([0-9a-z]{9})[0-9a-z]{13,51}|[0-9a-z]{1,60})$/

/** Whether this can be the id of an event of this time: ids begin with the time at which they were made. */
export const isEventId = (id: string, timestamp: string): boolean => {
  const [matched, made] = form.exec(id) ?? []
  if (matched === undefined || made === undefined) return matched !== undefined
  return Number.parseInt(made, 36) >= (parseTimestamp(timestamp) ?? Number.NEGATIVE_INFINITY)
}
