import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

// Published, so spelled out for every reader of patterns: without \d, flags and looking ahead.
const rfc3339 =
  /^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const earliest = Date.parse("0001-01-01T00:00:00.000Z")
const latest = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * Milliseconds since 1970 of an RFC 3339 date-time with an offset, years 0001 to 9999; undefined for anything else. RFC
 * 3339 also allows leap seconds (`:60`) and the year 0000, which are not taken: a `Date` has no leap seconds, PostgreSQL
 * and other systems have no year 0.
 */
export const parseTimestamp = (text: string): number | undefined => {
  if (!rfc3339.test(text)) return undefined
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  if (day > daysIn(year, month)) return undefined
  const millis = Date.parse(text.toUpperCase())
  return millis >= earliest && millis <= latest ? millis : undefined
}

/** Formats a time in UTC with milliseconds, as all times are stored and returned. */
export const formatTimestamp = (millis: number): string => new Date(millis).toISOString()

/** The time this number of milliseconds after another one, both as they are stored. The last is the end of the year 9999. */
export const plusMillis = (() => {
  // Rows of a batch get the same time.
  let last = { timestamp: "", millis: Number.NaN, text: "" }
  return (timestamp: string, millis: number): string => {
    if (timestamp !== last.timestamp || millis !== last.millis) {
      last = { timestamp, millis, text: formatTimestamp(Math.min(Date.parse(timestamp) + millis, latest)) }
    }
    return last.text
  }
})()

const expected = "an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z"

const leapSecond = /^[^Tt]{10}[Tt][0-9]{2}:[0-9]{2}:60(?![0-9])/

const refusal = (text: string): string => {
  if (leapSecond.test(text)) return "Expected seconds from 00 to 59: leap seconds are not supported"
  if (!rfc3339.test(text) && !text.startsWith("0000-")) return `Expected ${expected}`
  const day = Number(text.slice(8, 10))
  return day > daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
    ? "Expected a day that exists"
    : `Expected a time from ${formatTimestamp(earliest)} to ${formatTimestamp(latest)}`
}

const isRfc3339 = Schema.makeFilter((text: string) => parseTimestamp(text) !== undefined || refusal(text), {
  toJsonSchema: () => ({ pattern: rfc3339.source })
})

/** A date-time (RFC 3339, section 5.6): accepted with any offset, stored and returned in UTC with milliseconds. */
export const Timestamp = Schema.String.annotate({ expected, format: "date-time" })
  .check(isRfc3339)
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform<string, string>({
        decode: (text) => formatTimestamp(parseTimestamp(text) ?? Number.NaN),
        encode: (text) => text
      })
    )
  )
