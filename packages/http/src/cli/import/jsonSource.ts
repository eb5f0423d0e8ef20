import { describeFault, jsonFault } from "../../jsonFault.ts"
import { UsageError } from "../errors.ts"
import type { Reading } from "./ImportSettings.ts"
import { JsonReader, NotJson } from "./JsonReader.ts"
import { maxRowBytes, readJsonRow } from "./jsonRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

const isObject = (bytes: Buffer): boolean => bytes[0] === 0x7b

const checkSyntax = (bytes: Buffer, row: number): void => {
  if (bytes.length > maxRowBytes) return
  try {
    JSON.parse(bytes.toString("utf8"))
  } catch {
    throw new NotJson({ detail: `its row ${row} cannot be parsed` })
  }
}

const nameOf = (array: string | undefined): string =>
  array === undefined ? "an array in no object" : JSON.stringify(array.slice(0, 40))

/** As much as the line and column of a fault are looked up in. */
const maxLocatedBytes = 67_108_864

/** Says where the file is not JSON, for which it reads the beginning again. */
const located = async ({ detail }: NotJson, chunks: AsyncIterable<Uint8Array>): Promise<UsageError> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of chunks) {
    pieces.push(chunk)
    length += chunk.length
    if (length > maxLocatedBytes) break
  }
  const text = Buffer.concat(pieces).toString("utf8")
  const fault = jsonFault(text, true)
  const isFound = fault !== undefined && (length <= maxLocatedBytes || fault.offset < text.length)
  return new UsageError({
    message: `The file is not valid JSON: ${detail}${isFound ? `; ${describeFault(fault)}` : ""}`
  })
}

/** Reads the whole file, and returns the array whose elements are its rows: the one that has objects. */
const findRows = async (chunks: AsyncIterable<Uint8Array>): Promise<string | undefined> => {
  const reader = new JsonReader()
  const found = new Set<string | undefined>()
  let row = 0
  for await (const chunk of chunks) {
    for (const { array, bytes } of reader.read(chunk)) {
      checkSyntax(bytes, ++row)
      if (isObject(bytes)) found.add(array)
    }
  }
  reader.end()
  const [array] = found
  if (found.size > 1) {
    const names = Array.from(found, nameOf).join(" and ")
    throw new UsageError({ message: `The file has objects in ${names}; keep only the array with the rows` })
  }
  if (found.size === 0 && row > 0) throw new UsageError({ message: "The file has no array of objects" })
  return array
}

/**
 * Reads rows of JSON: the objects of an array, or of the array in each page that an API returned. Rejects with a {@link UsageError}
 * if the file is not JSON. The chunks are read twice, so that nothing of such a file is imported.
 */
export const jsonSource = async (chunks: AsyncIterable<Uint8Array>, reading: Reading): Promise<RowSource> => {
  const rowsArray = await findRows(chunks).catch(async (error: unknown) => {
    throw error instanceof NotJson ? await located(error, chunks) : error
  })
  async function* rows(): AsyncGenerator<ReadonlyArray<SourceRow>> {
    const reader = new JsonReader()
    let row = 0
    for await (const chunk of chunks) {
      yield reader
        .read(chunk)
        .filter(({ array }) => array === rowsArray)
        .map(({ bytes }) => readJsonRow(reading, ++row, bytes))
    }
  }
  return { unit: "row", titles: ["object"], delimiter: ",", rows: rows() }
}
