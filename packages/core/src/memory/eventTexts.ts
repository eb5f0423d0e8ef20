import { formatTimestamp } from "../domain/Timestamp.ts"
import type { EventRecord } from "../ports/EventRows.ts"
import type { LogFormat } from "./MemoryLog.ts"

/** What many events have in common. */
interface Form {
  readonly index: number
  readonly type: EventRecord["type"]
  /** The subject without the first value, which it ends with; undefined if it does not. */
  readonly collection: string | undefined
  readonly fields: ReadonlyArray<string>
}

const madeId = /^evt_[0-9a-z]{22}$/

/** Milliseconds, from an id without its prefix. */
const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 9), 36)

/** Adds the values of some fields to a row. Returns false if the data has others. */
const addValues = (
  row: Array<unknown>,
  data: Readonly<Record<string, unknown>>,
  fields: ReadonlyArray<string>
): boolean => {
  const start = row.length
  for (const name in data) {
    const value = data[name]
    if (value === undefined) continue
    if (name !== fields[row.length - start]) return false
    row.push(value)
  }
  return row.length - start === fields.length
}

/** Data of any type, by the names of its fields. */
const recordOf = (data: object): Readonly<Record<string, unknown>> => data as Readonly<Record<string, unknown>>

/**
 * Keeps each event as a text, in a quarter of the space of objects: the JSON of its values, with the number of a form for all that
 * it has in common with others, and how many milliseconds it is older than its id.
 */
export const eventTexts = (): LogFormat<"all", EventRecord, string> => {
  const forms: Array<Form> = []
  const ofType = new Map<string, Array<Form>>()
  // Most events have the time of the one before.
  let stored: { readonly timestamp: string; readonly time: number | undefined } = { timestamp: "", time: undefined }
  let loaded = { time: 0, timestamp: formatTimestamp(0) }

  /** Milliseconds, if they lead to the same text. */
  const timeOf = (timestamp: string): number | undefined => {
    if (timestamp !== stored.timestamp) {
      const millis = Date.parse(timestamp)
      const isSame = !Number.isNaN(millis) && formatTimestamp(millis) === timestamp
      stored = { timestamp, time: isSame ? millis : undefined }
    }
    return stored.time
  }
  const timestampOf = (time: number): string => {
    if (time !== loaded.time) loaded = { time, timestamp: formatTimestamp(time) }
    return loaded.timestamp
  }

  const newForm = ({ data, subject, type }: EventRecord): Form => {
    const found = Object.entries(data).filter(([, value]) => value !== undefined)
    const first = String(found[0]?.[1])
    const form: Form = {
      index: forms.length,
      type,
      collection: subject.endsWith(`/${first}`) ? subject.slice(0, -first.length) : undefined,
      fields: found.map(([name]) => name)
    }
    forms.push(form)
    ofType.set(type, [...(ofType.get(type) ?? []), form])
    return form
  }

  /** The text of an event; undefined if it has another form. */
  const textWith = (
    { data, id, subject, timestamp }: EventRecord,
    { collection, fields, index }: Form
  ): string | undefined => {
    const time = timeOf(timestamp)
    const row: Array<unknown> = [index]
    // The ids that the engine makes contain a time.
    if (time !== undefined && madeId.test(id)) row.push(id.slice(4), timeOfId(id.slice(4)) - time)
    else row.push(id, timestamp)
    if (collection === undefined) row.push(subject)
    const start = row.length
    if (!addValues(row, recordOf(data), fields)) return undefined
    return collection === undefined || collection + row[start] === subject ? JSON.stringify(row) : undefined
  }

  return {
    store: (event) => {
      for (const form of ofType.get(event.type) ?? []) {
        const text = textWith(event, form)
        if (text !== undefined) return text
      }
      const text = textWith(event, newForm(event))
      if (text === undefined) throw new Error(`An event ${event.type} is not plain data`)
      return text
    },
    load: (text, seq) => {
      const [index, ownId, ownTime, ...rest] = JSON.parse(text)
      const form = forms[index]
      if (form === undefined) throw new Error(`There is no form ${index} of events`)
      const { collection, fields, type } = form
      const values = collection === undefined ? rest.slice(1) : rest
      const data: Record<string, unknown> = {}
      for (const [place, name] of fields.entries()) data[name] = values[place]
      const subject = collection === undefined ? rest[0] : collection + values[0]
      const [id, timestamp] =
        typeof ownTime === "number" ? [`evt_${ownId}`, timestampOf(timeOfId(ownId) - ownTime)] : [ownId, ownTime]
      // The form has the type that this data was stored with.
      return { id, type, subject, timestamp, data, seq } as unknown as EventRecord
    }
  }
}
