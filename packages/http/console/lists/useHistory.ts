import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { get } from "../api/request.ts"
import { session } from "../api/session.ts"
import type { StoredEvent } from "../live/event.ts"
import { onEvents } from "../live/stream.ts"

export interface History {
  readonly events: ReadonlyArray<StoredEvent>
  readonly looking: boolean
  readonly error: unknown
  /** Continues after an error. */
  readonly retry: () => void
  /** Looks at what came before; undefined if nothing did. */
  readonly further: (() => void) | undefined
}

const searched = 1000
const inPage = 100

/** Whether nothing happened to the resource before. */
const isFirst = ({ type }: StoredEvent): boolean => /\.(?:placed|created|queued)$/.test(type)

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

/** Whether the store finds the events of a resource by an index. */
export const hasSubjects = (): boolean => session.value?.indexes?.includes("events.subject") === true

const lookUp = async (subject: string, cursor: string | undefined, abort: AbortSignal): Promise<Found> => {
  const query = { subject, sort: "-seq", limit: inPage, cursor }
  const { data, next } = await get<ReadonlyArray<StoredEvent>>("/events", query, abort)
  return { events: data, next: next === undefined ? undefined : { cursor: next } }
}

/**
 * Without the index, the API searches a thousand events a request, from the oldest on, so this goes back a thousand at a time: it costs the same
 * in a log of any size.
 */
const search = async (subject: string, end: number, abort: AbortSignal): Promise<Found> => {
  const start = Math.max(0, end - searched)
  const found: Array<StoredEvent> = []
  let page: ReadonlyArray<StoredEvent>
  do {
    const query = { subject, after: found.at(-1)?.seq ?? start, limit: inPage }
    page = (await get<ReadonlyArray<StoredEvent>>("/events", query, abort)).data
    found.push(...page.filter(({ seq }) => seq <= end))
  } while (page.length === inPage && (page.at(-1)?.seq ?? end) < end)
  const events = found.toReversed()
  return { events, next: start === 0 || events.some(isFirst) ? undefined : { end: start } }
}

/** The events of a subject, the newest first. */
export const useHistory = (subject: string | undefined): History => {
  const state = useSignal<Omit<History, "further" | "retry"> & { readonly next: Place | undefined }>({
    events: [],
    next: undefined,
    looking: true,
    error: undefined
  })
  const abort = useRef(new AbortController())
  const look = async (of: string, from: Place, mine: AbortController, times: number): Promise<void> => {
    const { signal } = mine
    const latest = async (): Promise<number> => (await get<{ seq: number }>("/events/latest", {}, signal)).data.seq
    const { events, next } = hasSubjects()
      ? await lookUp(of, from.cursor, signal)
      : await search(of, from.end ?? (await latest()), signal)
    if (signal.aborted) return
    // The stream may have brought the newest ones meanwhile.
    const oldest = state.value.events.at(-1)?.seq ?? Number.POSITIVE_INFINITY
    const looking = next?.end !== undefined && times > 1
    const all = [...state.value.events, ...events.filter(({ seq }) => seq < oldest)]
    state.value = { events: all, next, looking, error: undefined }
    if (looking) await look(of, next, mine, times - 1)
  }
  const run = (from: Place, times: number): void => {
    if (subject === undefined) return
    const mine = abort.current
    state.value = { ...state.value, looking: true, error: undefined }
    look(subject, from, mine, times).catch((error) => {
      if (!mine.signal.aborted) state.value = { ...state.value, looking: false, error }
    })
  }
  useEffect(() => {
    abort.current = new AbortController()
    state.value = { events: [], next: undefined, looking: subject !== undefined, error: undefined }
    run({}, 5)
    const stop = onEvents((events) => {
      const known = state.value.events[0]?.seq ?? 0
      const newer = events.filter((event) => event.subject === subject && event.seq > known)
      if (newer.length > 0) state.value = { ...state.value, events: [...newer.toReversed(), ...state.value.events] }
    })
    return () => {
      stop()
      abort.current.abort()
    }
  }, [subject])
  const { error, events, looking, next } = state.value
  return {
    events,
    looking,
    error,
    retry: () => run(next ?? {}, 5),
    further: next === undefined || looking || error !== undefined ? undefined : () => run(next, 10)
  }
}
