import type { DriverQuery } from "../postgres/connection/driver.ts"

// The messages of the PostgreSQL protocol that PGlite takes, as
// https://www.postgresql.org/docs/current/protocol-message-formats.html describes them.

type Value = NonNullable<DriverQuery["values"]>[number]

const encoder = new TextEncoder()

const int16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 255)

const int32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setInt32(0, value)
  return bytes
}

const text = (value: string): Uint8Array => encoder.encode(`${value}\0`)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const message = (type: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = joined(parts)
  return joined([encoder.encode(type), int32(body.length + 4), body])
}

const element = (value: Value): string => {
  if (value === null) return "NULL"
  if (value instanceof Uint8Array)
    return `"\\\\x${[...value].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`
  return `"${String(value).replace(/[\\"]/g, "\\$&")}"`
}

/** A value in the format that says itself: bytes as they are, everything else as text. */
const parameter = (value: Value): Uint8Array => {
  if (value === null) return int32(-1)
  const bytes =
    value instanceof Uint8Array
      ? value
      : encoder.encode(Array.isArray(value) ? `{${value.map(element).join(",")}}` : String(value))
  return joined([int32(bytes.length), bytes])
}

const formats = (values: ReadonlyArray<Value>): ReadonlyArray<Uint8Array> =>
  values.map((value) => int16(value instanceof Uint8Array ? 1 : 0))

/** Asks for the state of the connection. */
export const sync = message("S")

/** The messages of a statement; of several, separated by semicolons, if there are no values. */
export const messagesOf = ({ text: sql, values }: DriverQuery): Uint8Array =>
  values === undefined
    ? message("Q", text(sql))
    : joined([
        message("P", text(""), text(sql), int16(0)),
        message(
          "B",
          text(""),
          text(""),
          int16(values.length),
          ...formats(values),
          int16(values.length),
          ...values.map(parameter),
          int16(0)
        ),
        message("D", encoder.encode("P"), text("")),
        message("E", text(""), int32(0)),
        sync
      ])
