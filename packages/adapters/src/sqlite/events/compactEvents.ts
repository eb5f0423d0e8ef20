import { type EventForm, eventFormFor, eventFormOf } from "@petstore/core/adapter-toolkit"
import { formatTimestamp } from "@petstore/core/domain"
import { type EventToAppend, traceparent } from "@petstore/core/ports"
import { type EventFormat, plainEvents, toEvent } from "../../sql/EventStatements.ts"
import { compiled, property } from "../../sql/rowFunctions.ts"

/** The ids that the petstore makes: when, which of that time, and by which petstore. */
const madeId = /^evt_[0-9a-z]{22}$/
const storedId = /^[0-9a-z]{22}$/
const storedDelay = /^(?:|[1-9][0-9]{0,7})$/

/** The time that an id of 22 characters begins with. Most ids have the time of the one before. */
const timeOf = (() => {
  let last = { beginning: " ", millis: Number.NaN }
  return (id: string): number => {
    if (!id.startsWith(last.beginning)) {
      const beginning = id.slice(0, 9)
      last = { beginning, millis: Number.parseInt(beginning, 36) }
    }
    return last.millis
  }
})()

/** Formats a time. Most events have the time of the one before. */
const textOf = (() => {
  let last = { millis: Number.NaN, text: "" }
  return (millis: number): string => {
    if (millis !== last.millis) last = { millis, text: formatTimestamp(millis) }
    return last.text
  }
})()

/** By how many milliseconds an event is older than its id; undefined if it cannot be stored like that. Most have the times of the one before. */
const delayOf = (() => {
  let last: { readonly beginning: string; readonly timestamp: string; readonly text: string | undefined } | undefined
  return (id: string, timestamp: string): string | undefined => {
    if (last?.timestamp === timestamp && id.startsWith(last.beginning)) return last.text
    const millis = Date.parse(timestamp)
    const beginning = id.slice(0, 9)
    const delay = Number.parseInt(beginning, 36) - millis
    const isStored = delay >= 0 && delay < 100_000_000 && textOf(millis) === timestamp
    last = { beginning, timestamp, text: isStored ? (delay === 0 ? "" : String(delay)) : undefined }
    return last.text
  }
})()

const readers = new Map<EventForm, (data: object) => ReadonlyArray<unknown>>()

/** Reads the fields of events of a form. */
const readerOf = (form: EventForm): ((data: object) => ReadonlyArray<unknown>) => {
  const known = readers.get(form)
  if (known !== undefined) return known
  const { fields } = form
  const text = `return (data) => [${fields.map((name) => `data${property(name)}`).join(", ")}]`
  const read = compiled(text, {}, (data: object) =>
    fields.map((name) => (data as Readonly<Record<string, unknown>>)[name])
  )
  readers.set(form, read)
  return read
}

const compact = (event: EventToAppend) => {
  const { data, id, subject, timestamp, type } = event
  const form = eventFormFor(type, data)
  if (form === undefined || !madeId.test(id)) return undefined
  const values = readerOf(form)(data)
  if (values.includes(undefined) || subject !== form.collection + values[0]) return undefined
  const rest = id.slice(4)
  const delay = delayOf(rest, timestamp)
  if (delay === undefined) return undefined
  // Without its opening bracket it is no JSON: what does not know the form fails, and takes it for nothing else.
  return [rest, form.code, "", delay, JSON.stringify(values).slice(1), event[traceparent] ?? null] as const
}

const [zero, nine] = ["0".charCodeAt(0), "9".charCodeAt(0)]

/** The whole number above zero that is one value of a list; undefined if the value is anything else. */
const idAt = (list: string, start: number): number | undefined => {
  let id = 0
  for (let place = start; place < start + 15; place++) {
    const code = list.charCodeAt(place)
    if (code >= zero && code <= nine) id = id * 10 + code - zero
    else
      return id > 0 && list.charCodeAt(start) !== zero && (list[place] === "," || list[place] === "]") ? id : undefined
  }
  return undefined
}

const invalid = (what: string): never => {
  throw new Error(`it is stored with ${what}`)
}

/**
 * Stores most events in less than half of the space: the type as a code, the data as a list of values, and neither the subject,
 * which follows from the data, nor the time, which the id contains. An event that would not be returned exactly as it was is
 * stored as it is. PostgreSQL keeps plain columns, since servers of two releases work on one schema.
 */
export const compactEvents: EventFormat = {
  values: (event) => compact(event) ?? plainEvents.values(event),
  aboutOf: ({ data, type }) => {
    const form = eventFormOf(type)
    const id = form === undefined ? undefined : idAt(data, 0)
    if (form === undefined || id === undefined) return undefined
    if (!form.hasRelated) return { type: form.type, id, related: undefined }
    const related = idAt(data, data.indexOf(",") + 1)
    return related === undefined ? undefined : { type: form.type, id, related }
  },
  decode: (row) => {
    const { data, id, seq, subject, timestamp, type } = row
    // The names of types have a dot.
    if (type.includes(".")) return plainEvents.decode(row)
    const form = eventFormOf(type) ?? invalid(`the unknown form ${JSON.stringify(type)}`)
    const values: ReadonlyArray<unknown> = JSON.parse(`[${data}`)
    if (values.length !== form.fields.length) invalid(`${values.length} values instead of ${form.fields.length}`)
    if (!storedId.test(id) || !storedDelay.test(timestamp) || subject !== "") invalid("a column of another form")
    return toEvent({
      seq,
      id: `evt_${id}`,
      type: form.type,
      subject: form.collection + values[0],
      timestamp: textOf(timeOf(id) - Number(timestamp)),
      data: form.shape(values, 0)
    })
  }
}
