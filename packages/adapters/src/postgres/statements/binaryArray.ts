import type { ColumnType } from "@petstore/core/kernel"
import type { Value } from "../../sql/Value.ts"

const oids = { integer: 20, boolean: 16, bytes: 17, text: 25 } satisfies Record<ColumnType, number>

const headerBytes = 20
const nullLength = -1
/** How many bytes a UTF-16 code unit has in UTF-8 at most. */
const longestUnitBytes = 3

const encoder = new TextEncoder()

/** How many bytes a value has at most: to count those of a text costs as much as to write it. */
const roomFor = (value: Value): number => {
  switch (typeof value) {
    case "string":
      return longestUnitBytes * value.length
    case "number":
      return 8
    case "boolean":
      return 1
    default:
      return value?.byteLength ?? 0
  }
}

/** Bytes that many arrays share: one of their own for each costs as much as to write it. */
const sharedBytes = 2 ** 18
let shared = new Uint8Array(0)
let view = new DataView(shared.buffer)
let used = 0

/** Makes room for an array. The next one begins where the last one ends. */
const reserve = (room: number): void => {
  if (shared.length - used >= room) return
  shared = new Uint8Array(Math.max(sharedBytes, room))
  view = new DataView(shared.buffer)
  used = 0
}

/**
 * The values of one column of many rows, as an array in the binary format of PostgreSQL. In its text format each quote of a
 * JSON text is escaped, which costs both sides more than the rest of the statement.
 */
export const binaryArray = (type: ColumnType, values: ReadonlyArray<Value>): Uint8Array => {
  let room = headerBytes
  for (const value of values) room += 4 + roomFor(value)
  reserve(room)
  const start = used
  view.setInt32(start, 1) // dimensions
  view.setInt32(start + 4, 1) // may contain NULL
  view.setInt32(start + 8, oids[type])
  view.setInt32(start + 12, values.length)
  view.setInt32(start + 16, 1) // index of the first
  let at = start + headerBytes
  for (const value of values) {
    if (value === undefined || value === null) {
      view.setInt32(at, nullLength)
      at += 4
    } else {
      const length = write(at + 4, value)
      view.setInt32(at, length)
      at += 4 + length
    }
  }
  used = at
  return shared.subarray(start, at)
}

/** Up to here a loop is faster than a call of the encoder, with a view of its own for each text. */
const longestLoop = 32

/** Writes a text, and returns how many bytes it has. Nearly all are in ASCII. */
const writeText = (at: number, text: string): number => {
  const { length } = text
  if (length <= longestLoop) {
    let index = 0
    for (; index < length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) break
      shared[at + index] = unit
    }
    if (index === length) return length
  }
  return encoder.encodeInto(text, shared.subarray(at)).written
}

/** Writes a value, and returns how many bytes it has. */
const write = (at: number, value: NonNullable<Value>): number => {
  switch (typeof value) {
    case "string":
      return writeText(at, value)
    case "number":
      view.setInt32(at, Math.floor(value / 2 ** 32))
      view.setUint32(at + 4, value >>> 0)
      return 8
    case "boolean":
      view.setUint8(at, value ? 1 : 0)
      return 1
    default:
      shared.set(value, at)
      return value.byteLength
  }
}
