import { createHash } from "node:crypto"
import { type FileHandle, open, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { addAbortSignal, Readable } from "node:stream"
import { UsageError } from "../errors.ts"

/** In bytes. */
const chunkBytes = 65_536

/** The file name that stands for standard input. */
export const standardInput = "-"

/** A file whose digest is known before its rows are read. */
export interface InputFile {
  /** SHA-256 of its content, as hexadecimal digits. */
  readonly digest: string
  /** In bytes. */
  readonly size: number
  /** Its bytes, without a byte order mark. Can be read several times, one after the other. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** How many bytes were read so far. */
  readonly position: () => number
  /** Whether the chunks had the content of the digest when they were last read. Call it once, after the last chunk. */
  readonly isUnchanged: () => boolean
  readonly close: () => Promise<void>
}

const startsWith = (bytes: Uint8Array, start: ReadonlyArray<number>): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Removes a byte order mark. Throws for UTF-16 and compressed files. */
const withoutMark = (first: Uint8Array): Uint8Array => {
  // The first character of a CSV or JSON file is ASCII, so that one of its two bytes is zero.
  if (startsWith(first, [0xff, 0xfe]) || startsWith(first, [0xfe, 0xff]) || first.subarray(0, 2).includes(0)) {
    throw new UsageError({ message: "The file is UTF-16; save it as UTF-8" })
  }
  if (startsWith(first, [0x1f, 0x8b])) throw new UsageError({ message: "The file is compressed; decompress it first" })
  return startsWith(first, [0xef, 0xbb, 0xbf]) ? first.subarray(3) : first
}

/** Reads a file from its beginning. The handle stays open where its stream, left before the end, would close it. */
async function* readAll(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(chunkBytes), position })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Copies a stream to a temporary file without a name, because a stream cannot be read twice. */
const spool = async (source: Readable): Promise<FileHandle> => {
  const path = join(tmpdir(), `petstore-import-${process.pid}-${Date.now()}`)
  const handle = await open(path, "wx+", 0o600)
  try {
    // Nothing is left behind, however the process ends.
    await rm(path, { force: true })
    for await (const chunk of source) await handle.write(chunk)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Rejects with a {@link UsageError} if there is no such file, or only a directory. */
export const checkInput = async (file: string): Promise<void> => {
  if (file === standardInput) return
  const name = JSON.stringify(file)
  const entry = await stat(file).catch(() => undefined)
  if (entry === undefined) throw new UsageError({ message: `There is no file ${name}` })
  if (entry.isDirectory()) {
    throw new UsageError({ message: `${name} is a directory, not a file; import its files one by one` })
  }
}

/** Opens a file or standard input; rejects with a {@link UsageError} if it cannot be read. */
const openHandle = async (file: string, signal: AbortSignal): Promise<FileHandle> => {
  if (file === standardInput) return spool(addAbortSignal(signal, process.stdin))
  await checkInput(file)
  const name = JSON.stringify(file)
  const handle = await open(file).catch(() => {
    throw new UsageError({ message: `${name} cannot be read` })
  })
  return (await handle.stat()).isFile() ? handle : spool(addAbortSignal(signal, handle.createReadStream()))
}

/** Opens a file or standard input, and reads it once to compute its digest. */
export const openInput = async (file: string, signal: AbortSignal): Promise<InputFile> => {
  const handle = await openHandle(file, signal)
  const known = createHash("sha256")
  let size = 0
  for await (const chunk of addAbortSignal(signal, Readable.from(readAll(handle)))) {
    known.update(chunk)
    size += chunk.length
  }
  const digest = known.digest("hex")

  let read = createHash("sha256")
  let position = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    read = createHash("sha256")
    position = 0
    for await (const chunk of readAll(handle)) {
      read.update(chunk)
      yield position === 0 ? withoutMark(chunk) : chunk
      position += chunk.length
    }
  }
  return {
    digest,
    size,
    chunks: { [Symbol.asyncIterator]: chunks },
    position: () => position,
    isUnchanged: () => read.digest("hex") === digest,
    close: () => handle.close()
  }
}
