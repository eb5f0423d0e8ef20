import { Schema, SchemaTransformation } from "effect"

const rfc3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

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

/** Milliseconds since 1970 of an RFC 3339 date-time with an offset, years 0001 to 9999; undefined for anything else. */
export const parseTimestamp = (text: string): number | undefined => {
  if (!rfc3339.test(text)) return undefined
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  if (day > daysIn(year, month)) return undefined
  const millis = Date.parse(text.toUpperCase())
  return millis >= earliest && millis <= latest ? millis : undefined
}

/** The form in which times are answered: UTC with milliseconds. */
export const formatTimestamp = (millis: number): string => new Date(millis).toISOString()

const expected = "an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z"

const isRfc3339 = Schema.makeFilter((text: string) => parseTimestamp(text) !== undefined || `Expected ${expected}`)

/** A date-time (RFC 3339, section 5.6): read with any offset, kept and answered in UTC with milliseconds. */
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
