import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { UsageError } from "../CommandError.ts"

/** A file to read once. */
export interface InputFile {
  /** Bytes in it; 0 where that is not known. */
  readonly size: number
  /** Its bytes, without a byte order mark. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** How many bytes were read so far. */
  readonly position: () => number
}

const startsWith = (bytes: Buffer, start: ReadonlyArray<number>): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Text in UTF-8 with or without a byte order mark, which is taken away. */
const withoutMark = (first: Buffer): Buffer => {
  if (startsWith(first, [0xff, 0xfe]) || startsWith(first, [0xfe, 0xff])) {
    throw new UsageError({ message: "The file is in UTF-16; save it as UTF-8" })
  }
  if (startsWith(first, [0x1f, 0x8b])) throw new UsageError({ message: "The file is compressed; unpack it first" })
  return startsWith(first, [0xef, 0xbb, 0xbf]) ? first.subarray(3) : first
}

/** Opens a file that is there and can be read; rejects with a {@link UsageError} otherwise. */
export const openInput = async (file: string): Promise<InputFile> => {
  const name = JSON.stringify(file)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) throw new UsageError({ message: `There is no file ${name}` })
  if (found.isDirectory()) throw new UsageError({ message: `${name} is a directory, not a file` })
  const stream = createReadStream(file)
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve())
    stream.once("error", () => reject(new UsageError({ message: `${name} cannot be read` })))
  })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let first = true
    for await (const chunk of stream) {
      yield first ? withoutMark(chunk) : chunk
      first = false
    }
  }
  return { size: found.size, chunks: chunks(), position: () => stream.bytesRead }
}
