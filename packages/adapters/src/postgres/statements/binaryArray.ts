import type { ColumnType } from "../../sql/RowFormat.ts"
import type { Value } from "../../sql/Sql.ts"

const oids = { bigint: 20, boolean: 16, bytea: 17, text: 25 } satisfies Record<ColumnType, number>

const headerLength = 20
const nullLength = -1

const lengthOf = (value: Value): number => {
  switch (typeof value) {
    case "string":
      return Buffer.byteLength(value)
    case "number":
      return 8
    case "boolean":
      return 1
    default:
      return value?.byteLength ?? 0
  }
}

/**
 * The values of one column of many rows, as an array in the binary format of PostgreSQL. In its text format each quote of a
 * JSON text is escaped, which costs both sides more than the rest of the statement.
 */
export const binaryArray = (type: ColumnType, values: ReadonlyArray<Value>): Buffer => {
  let size = headerLength
  for (const value of values) size += 4 + lengthOf(value)
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeInt32BE(1, 0) // dimensions
  bytes.writeInt32BE(1, 4) // may contain NULL
  bytes.writeInt32BE(oids[type], 8)
  bytes.writeInt32BE(values.length, 12)
  bytes.writeInt32BE(1, 16) // index of the first
  let at = headerLength
  for (const value of values) at = write(bytes, at, value)
  return bytes
}

const write = (bytes: Buffer, at: number, value: Value): number => {
  if (value === undefined || value === null) return bytes.writeInt32BE(nullLength, at)
  const start = at + 4
  let end: number
  if (typeof value === "string") {
    end = start + bytes.write(value, start)
  } else if (typeof value === "number") {
    end = bytes.writeInt32BE(Math.floor(value / 2 ** 32), start)
    end = bytes.writeUInt32BE(value >>> 0, end)
  } else if (typeof value === "boolean") {
    end = bytes.writeUInt8(value ? 1 : 0, start)
  } else {
    bytes.set(value, start)
    end = start + value.byteLength
  }
  bytes.writeInt32BE(end - start, at)
  return end
}
