import { crc32 } from "./ApiKeyToken.ts"

/** A part of a list, and how to get the next. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Pass it as `cursor` to get the next page. Absent on the last page. */
  readonly next?: string
}

const version = "1"

/** Equal for equal filters, whatever their order. */
const fingerprint = (filters: Readonly<Record<string, unknown>>): string =>
  crc32(
    encodeURIComponent(
      JSON.stringify(
        Object.entries(filters)
          .filter(([, value]) => value !== undefined)
          .sort(([a], [b]) => (a < b ? -1 : 1))
      )
    )
  ).toString(36)

/** The UTF-8 bytes of a text, each as one character, which is what `btoa` and `crc32` take. */
const toBytes = (text: string): string => {
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

const fromBytes = (bytes: string): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))

const seal = (text: string): string => {
  const body = toBytes(text)
  return btoa(`${body}.${crc32(body).toString(36)}`)
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "")
}

/** The cursor after the last item of a page of this list with these filters. */
export const formatCursor = (list: string, filters: Readonly<Record<string, unknown>>, last: number | string): string =>
  seal(`${version}.${fingerprint({ ...filters, list })}.${last}`)

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
  const [, print, last] = /^[^.]*\.([^.]*)\.(.*)\.[^.]*$/s.exec(text) ?? []
  return print === fingerprint({ ...filters, list }) &&
    last !== undefined &&
    formatCursor(list, filters, last) === cursor
    ? last
    : undefined
}
