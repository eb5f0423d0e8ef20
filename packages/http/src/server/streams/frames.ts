import type { Event } from "@petstore/core/domain"

const encoder = new TextEncoder()

/** A comment, which clients ignore. It keeps proxies from closing the connection. */
export const heartbeat = encoder.encode(":\n\n")

/** The first bytes of every stream: how long a client waits before it connects again, in milliseconds. */
export const opening = encoder.encode("retry: 1000\n\n")

/** Moves the position of the client past events that were not selected. */
export const positionFrame = (seq: number): Uint8Array => encoder.encode(`id: ${seq}\n\n`)

const textOf = ({ data, id, seq, subject, timestamp, type }: Event): string =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, timestamp, seq, subject, data })}\n\n`

/** After how many characters the rest of a page is left for later: more than a page of events has whose texts are short. */
const mostPartCharacters = 64 * 1024

/** The first events of a page, encoded, and how many they are. */
interface Frames {
  readonly bytes: Uint8Array
  readonly count: number
}

/** What was encoded last, of a page that begins with an event and has this number: most streams that are open at the same time send the same pages. */
let latest: { readonly first: Event; readonly length: number; readonly frames: Frames } | undefined

/** Encodes the first of consecutive selected events, at least one. Streams that send the same events share the bytes. */
export const framesOf = (page: ReadonlyArray<Event>): Frames => {
  const [first] = page
  // Others may have the same beginning and length, but other events between.
  const isWhole = first !== undefined && page.at(-1)?.seq === first.seq + page.length - 1
  if (isWhole && latest?.first === first && latest.length === page.length) return latest.frames
  let text = ""
  let count = 0
  for (const event of page) {
    text += textOf(event)
    count++
    if (text.length >= mostPartCharacters) break
  }
  const frames = { bytes: encoder.encode(text), count }
  if (isWhole) latest = { first, length: page.length, frames }
  return frames
}
