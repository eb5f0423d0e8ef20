import { crc32 } from "./access/ApiKeyToken.ts"

/** How many items the pages of a list have together. */
export interface Total {
  /** At most 10,000. */
  readonly count: number
  /** Whether these are all: a count ends at 10,000. */
  readonly isExact: boolean
}

/** A part of a list, and the cursor of the next. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Pass it as `cursor` to read the next page. Absent on the last page. */
  readonly next?: string
  /** If the query has `count: true`. */
  readonly total?: Total
}

const version = "1"

const computeFingerprint = (list: string, filters: Readonly<Record<string, unknown>>): string =>
  crc32(
    encodeURIComponent(
      JSON.stringify(
        Object.entries({ ...filters, list })
          .filter(([, value]) => value !== undefined)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      )
    )
  ).toString(36)

/** The fingerprints of recent lists, by list and filters: most requests for a page are for one of few lists. */
const fingerprints = new Map<string, string>()
const recentLists = 256
const longestKey = 256

const knownFingerprint = (list: string, filters: Readonly<Record<string, unknown>>): string => {
  const key = list + JSON.stringify(filters)
  const known = fingerprints.get(key)
  if (known !== undefined) return known
  const computed = computeFingerprint(list, filters)
  if (key.length <= longestKey) {
    if (fingerprints.size === recentLists) fingerprints.clear()
    fingerprints.set(key, computed)
  }
  return computed
}

let latest = { list: "", filters: {}, print: "" }

/** Equal for equal lists and filters, whatever the order of the filters. */
const fingerprint = (list: string, filters: Readonly<Record<string, unknown>>): string => {
  // A page has a cursor where it starts, and one where it ends.
  if (filters !== latest.filters || list !== latest.list)
    latest = { list, filters, print: knownFingerprint(list, filters) }
  return latest.print
}

/** A text whose UTF-8 bytes are its characters. */
const ascii = /^[ -~]*$/

/** The UTF-8 bytes of a text, each as one character, which is what `btoa` and `crc32` take. */
const toBytes = (text: string): string => {
  if (ascii.test(text)) return text
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

const fromBytes = (bytes: string): string =>
  ascii.test(bytes) ? bytes : new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))

const seal = (text: string): string => {
  const body = toBytes(text)
  return btoa(`${body}.${crc32(body).toString(36)}`)
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=/g, "")
}

const cursorOf = (print: string, last: number | string): string => seal(`${version}.${print}.${last}`)

/** The cursor after the last item of a page of this list with these filters. */
export const formatCursor = (list: string, filters: Readonly<Record<string, unknown>>, last: number | string): string =>
  cursorOf(fingerprint(list, filters), last)

/** The form of every cursor. The longest hold a name of 200 characters that NFC makes three of four bytes each. */
export const cursorPattern = /^[A-Za-z0-9_-]{1,4000}$/

/** The last item before a cursor; undefined if the cursor belongs to another list or other filters. */
export const parseCursor = (
  list: string,
  filters: Readonly<Record<string, unknown>>,
  cursor: string
): string | undefined => {
  if (!cursorPattern.test(cursor)) return undefined
  let text: string
  try {
    text = fromBytes(atob(cursor.replace(/-/g, "+").replace(/_/g, "/")))
  } catch {
    return undefined
  }
  const print = fingerprint(list, filters)
  const start = `${version}.${print}.`
  if (!text.startsWith(start)) return undefined
  const last = text.slice(start.length, text.lastIndexOf("."))
  return cursorOf(print, last) === cursor ? last : undefined
}
