import { describeFault, jsonFault } from "../../jsonFault.ts"
import { UsageError } from "../errors.ts"
import type { Reading } from "./ImportSettings.ts"
import { JsonReader, NotJson } from "./JsonReader.ts"
import { isPage, maxRowBytes, readJsonRow } from "./jsonRow.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

const isObject = (bytes: Buffer): boolean => bytes[0] === 0x7b

const listOfPages = new UsageError({
  message:
    "The file is a list of pages, each of which has its rows. Write the pages behind each other instead, for example with jq '.[]' FILE, and import that"
})

/** Returns an element that is not too long. */
const parsed = (bytes: Buffer, row: number): unknown => {
  if (bytes.length > maxRowBytes) return undefined
  try {
    return JSON.parse(bytes.toString("utf8"))
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

const moreAt = (next: string): string =>
  `The last page says that there are more (${next.slice(0, 200)}), which are not in this file. Get the next pages, and import them too.`

/** Reads the whole file, and returns the array whose elements are its rows: the one that has objects. */
const findRows = async (
  chunks: AsyncIterable<Uint8Array>,
  { columns }: Reading
): Promise<{ readonly array: string | undefined; readonly more: string | undefined }> => {
  const reader = new JsonReader()
  const arrays = new Set<string | undefined>()
  let row = 0
  for await (const chunk of chunks) {
    for (const { array, bytes } of reader.read(chunk)) {
      const element = parsed(bytes, ++row)
      if (array === undefined && isPage(element, columns)) throw listOfPages
      if (isObject(bytes)) arrays.add(array)
    }
  }
  reader.end()
  const [array] = arrays
  if (arrays.size > 1) {
    const names = Array.from(arrays, nameOf).join(" and ")
    throw new UsageError({ message: `The file has objects in ${names}; keep only the array with the rows` })
  }
  if (arrays.size === 0 && row > 0) throw new UsageError({ message: "The file has no array of objects" })
  return { array, more: reader.next === undefined ? undefined : moreAt(reader.next) }
}

/**
 * Reads rows of JSON: the objects of an array, or of the array in each page that an API returned. Rejects with a {@link UsageError}
 * if the file is not JSON. The chunks are read twice, so that nothing of such a file is imported.
 */
export const jsonSource = async (chunks: AsyncIterable<Uint8Array>, reading: Reading): Promise<RowSource> => {
  const { array: rowsArray, more } = await findRows(chunks, reading).catch(async (error: unknown) => {
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
  return { unit: "row", titles: undefined, delimiter: ",", more, rows: rows() }
}
