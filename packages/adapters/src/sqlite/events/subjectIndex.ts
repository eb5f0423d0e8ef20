/** The index of the events of each resource, over the forms in which the log has them. */

import { EventType, eventTypes } from "@petstore/core/domain"
import { type SelectSubject, selectEvents } from "../../sql/EventStatements.ts"

/** A digit of a code, whose value is its place. That of nothing is 0. */
const digit = (place: number): string =>
  `instr('123456789abcdefghijklmnopqrstuvwxyz', substr('000' || type, -${place}, 1))`

/** The place of the type that the code of a form contains: the code in base 36, modulo 128. */
const place = `((${digit(1)} + 36 * ${digit(2)} + 16 * ${digit(3)} + 64 * ${digit(4)}) % 128)`

/** The first value of the data of a form, which ends the subject. No id is longer. */
const firstValue = "substr(data, 1, instr(replace(substr(data, 1, 80), ']', ','), ',') - 1)"

/**
 * What an event is indexed by: its subject or, of one in a form, the place of its type and the first value as it is stored. It must never
 * change: databases have it in their index.
 */
export const subjectKey = `CASE subject WHEN '' THEN ${place} || ' ' || ${firstValue} ELSE subject END`

const keysOfSubject = (subject: string): ReadonlyArray<string> => {
  const [collection = "", id = ""] = subject.split("/")
  const value = /^\d+$/.test(id) ? id : JSON.stringify(id)
  const places = EventType.literals.flatMap((type, index) =>
    eventTypes[type].collection === collection ? [`${index} ${value}`] : []
  )
  return [subject, ...places]
}

/** One of each key after the other, so that none is read further than the page. */
const textOf = (keys: number, isReversed: boolean): string => {
  const order = `ORDER BY seq${isReversed ? " DESC" : ""} LIMIT ?`
  const from = `${selectEvents} INDEXED BY petstore_events_by_subject WHERE ${subjectKey} = ? AND seq ${isReversed ? "<" : ">"} ?`
  return `SELECT * FROM (${Array.from({ length: keys }, () => `SELECT * FROM (${from} ${order})`).join(" UNION ALL ")}) ${order}`
}

/** Selects the events of a subject. */
export const selectSubject: SelectSubject = (subject, position, limit, isReversed) => {
  const keys = keysOfSubject(subject)
  return {
    text: textOf(keys.length, isReversed),
    values: [...keys.flatMap((key) => [key, position, limit]), limit]
  }
}
