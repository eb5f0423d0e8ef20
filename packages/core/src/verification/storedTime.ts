import { parseTimestamp } from "../domain/Timestamp.ts"

const form = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** The last day that was found to exist: rows that follow each other are often of one day. */
let knownDay = ""

/** The last text that was a time: rows that follow each other are often of one command. */
let knownTime = ""

/** Whether a text is a time as it is stored: a date that exists, in UTC with milliseconds. */
export const isStoredTime = (text: string): boolean => {
  if (text === knownTime) return text !== ""
  if (!form.test(text)) return false
  if (knownDay === "" || !text.startsWith(knownDay)) {
    if (parseTimestamp(text) === undefined) return false
    knownDay = text.slice(0, 10)
  }
  knownTime = text
  return true
}
