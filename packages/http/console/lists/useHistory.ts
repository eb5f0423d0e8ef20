import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { ApiError } from "../api/ApiError.ts"
import { get } from "../api/request.ts"
import type { StoredEvent } from "../live/event.ts"
import { onEvents } from "../live/stream.ts"

export interface History {
  readonly events: ReadonlyArray<StoredEvent>
  readonly looking: boolean
  /** Looks at what came before; undefined if nothing did. */
  readonly further: (() => void) | undefined
}

const searched = 1000

/** Where to look next: at a page of the index, or in the log before a position. */
interface Place {
  readonly cursor?: string | undefined
  readonly end?: number
}

interface Found {
  readonly events: ReadonlyArray<StoredEvent>
  /** Undefined if there is nothing before. */
  readonly next: Place | undefined
}

/** Whether the store finds the events of a resource by an index, as far as is known. */
let isIndexed = true

const lookUp = async (subject: string, cursor: string | undefined, abort: AbortSignal): Promise<Found | undefined> => {
  try {
    const query = { subject, sort: "-seq", limit: 100, cursor }
    const { data, next } = await get<ReadonlyArray<StoredEvent>>("/events", query, abort)
    return { events: data, next: next === undefined ? undefined : { cursor: next } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "not_indexed") throw error
    isIndexed = false
    return undefined
  }
}

/**
 * Without the index, the API searches a thousand events a request, from the oldest on, so this goes back a thousand at a time: it costs the same
 * in a log of any size.
 */
const search = async (
  subject: string,
  end: number,
  isFirst: (event: StoredEvent) => boolean,
  abort: AbortSignal
): Promise<Found> => {
  const start = Math.max(0, end - searched)
  const { data } = await get<ReadonlyArray<StoredEvent>>("/events", { subject, after: start, limit: 100 }, abort)
  const events = data.filter(({ seq }) => seq <= end).toReversed()
  return { events, next: start === 0 || events.some(isFirst) ? undefined : { end: start } }
}

/** The events of a subject, the newest first. */
export const useHistory = (subject: string | undefined, isFirst: (event: StoredEvent) => boolean): History => {
  const state = useSignal<{ events: ReadonlyArray<StoredEvent>; next: Place | undefined; looking: boolean }>({
    events: [],
    next: undefined,
    looking: true
  })
  const look = async (of: string, from: Place, abort: AbortSignal, times: number): Promise<void> => {
    const found = isIndexed && from.end === undefined ? await lookUp(of, from.cursor, abort) : undefined
    const end = from.end ?? (found ? 0 : (await get<{ seq: number }>("/events/latest", {}, abort)).data.seq)
    const { events, next } = found ?? (await search(of, end, isFirst, abort))
    if (abort.aborted) return
    // The stream may have brought the newest ones meanwhile.
    const oldest = state.value.events.at(-1)?.seq ?? Number.POSITIVE_INFINITY
    const looking = next?.end !== undefined && times > 1
    state.value = { events: [...state.value.events, ...events.filter(({ seq }) => seq < oldest)], next, looking }
    if (looking) await look(of, next, abort, times - 1)
  }
  const run = (from: Place, times: number): AbortController => {
    const abort = new AbortController()
    if (subject !== undefined)
      look(subject, from, abort.signal, times).catch(() => {
        if (!abort.signal.aborted) state.value = { ...state.value, looking: false }
      })
    return abort
  }
  useEffect(() => {
    state.value = { events: [], next: undefined, looking: subject !== undefined }
    const abort = run({}, 5)
    const stop = onEvents((events) => {
      const known = state.value.events[0]?.seq ?? 0
      const newer = events.filter((event) => event.subject === subject && event.seq > known)
      if (newer.length > 0) state.value = { ...state.value, events: [...newer.toReversed(), ...state.value.events] }
    })
    return () => {
      stop()
      abort.abort()
    }
  }, [subject])
  const { events, looking, next } = state.value
  return {
    events,
    looking,
    further:
      next === undefined || looking
        ? undefined
        : () => {
            state.value = { ...state.value, looking: true }
            run(next, 10)
          }
  }
}
