import { parseTimestamp } from "../../domain/Timestamp.ts"

const timeForm = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** The last day that was found to exist: rows that follow each other are often of one day. */
let knownDay = ""

/** The last text that was a time: rows that follow each other are often of one command. */
let knownTime = ""

/** Whether a text is a time as it is stored: a date that exists, in UTC with milliseconds. */
export const isStoredTime = (text: string): boolean => {
  if (text === knownTime) return text !== ""
  if (!timeForm.test(text)) return false
  if (knownDay === "" || !text.startsWith(knownDay)) {
    if (parseTimestamp(text) === undefined) return false
    knownDay = text.slice(0, 10)
  }
  knownTime = text
  return true
}

// Nine digits of time, five of a counter that may grow, eight of the petstore: see Journal.
const idForm = /^evt_[0-9a-z]{22,60}$/

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
export const isEventId = (id: string, timestamp: string): boolean =>
  idForm.test(id) && madeAt(id) >= millisOf(timestamp)
