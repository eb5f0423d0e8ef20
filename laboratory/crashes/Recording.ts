import { readFileSync } from "node:fs"

/** What a process did: changed, synced or deleted a file, or wrote to its standard output. */
export type Operation =
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: "truncate"; readonly file: string; readonly size: number }
  | { readonly kind: "sync"; readonly file: string }
  | { readonly kind: "delete"; readonly file: string }
  | { readonly kind: "say"; readonly text: string }

// The layout of `struct record` in recordedWrites.c.
const headLength = 24

const operationOf = (kind: string, file: string, offset: number, size: number, data: Buffer): Operation => {
  if (kind === "w") return { kind: "write", file, offset, data }
  if (kind === "t") return { kind: "truncate", file, size }
  if (kind === "s") return { kind: "sync", file }
  return kind === "u" ? { kind: "delete", file } : { kind: "say", text: data.toString("utf8") }
}

/** What a process has done that the library recordedWrites.c has recorded, in order. Its last record may be a part. */
export const readRecording = (path: string): ReadonlyArray<Operation> => {
  const bytes = readFileSync(path)
  const operations: Array<Operation> = []
  for (let at = 0; at + headLength <= bytes.length; ) {
    const kind = String.fromCharCode(bytes.readInt32LE(at))
    const nameLength = bytes.readInt32LE(at + 4)
    const [offset, size] = [Number(bytes.readBigInt64LE(at + 8)), Number(bytes.readBigInt64LE(at + 16))]
    const data = at + headLength + nameLength
    const end = data + (kind === "w" || kind === "a" ? size : 0)
    if (end > bytes.length) break
    const file = bytes.toString("utf8", at + headLength, data)
    // The file is memory that the next operations share.
    operations.push(operationOf(kind, file, offset, size, bytes.subarray(data, end)))
    at = end
  }
  return operations
}
