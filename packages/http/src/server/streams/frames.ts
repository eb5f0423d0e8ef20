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

/** The last page that was encoded: most streams that are open at the same time send the same pages. */
let latest: { readonly first: Event; readonly count: number; readonly bytes: Uint8Array } | undefined

/** Encodes a page of consecutive selected events. Streams that send the same events share the bytes. */
export const framesOf = (page: ReadonlyArray<Event>): Uint8Array => {
  const [first] = page
  if (first === undefined) return new Uint8Array(0)
  const isSame =
    latest?.first === first && latest.count === page.length && page.at(-1)?.seq === first.seq + page.length - 1
  if (isSame && latest !== undefined) return latest.bytes
  const bytes = encoder.encode(page.map(textOf).join(""))
  // Only of pages without a hole: others may have the same beginning and length, but other events between.
  if (page.at(-1)?.seq === first.seq + page.length - 1) latest = { first, count: page.length, bytes }
  return bytes
}
