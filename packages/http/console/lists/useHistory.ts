import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
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

/**
 * The events of a subject, the newest first. The API searches a thousand events a request, from the oldest on, so this goes back a
 * thousand at a time, five times at most without being asked: it costs the same in a log of any size.
 */
export const useHistory = (subject: string | undefined, isFirst: (event: StoredEvent) => boolean): History => {
  const state = useSignal<{ events: ReadonlyArray<StoredEvent>; from: number; looking: boolean }>({
    events: [],
    from: 0,
    looking: true
  })
  const search = async (abort: AbortSignal, from: number, times: number): Promise<void> => {
    let end = from
    for (let time = 0; time < times && end > 0; time++) {
      const start = Math.max(0, end - searched)
      const { data } = await get<ReadonlyArray<StoredEvent>>("/events", { subject, after: start, limit: 100 }, abort)
      const found = data.filter(({ seq }) => seq <= end).toReversed()
      end = found.some(isFirst) ? 0 : start
      if (abort.aborted) return
      state.value = { events: [...state.value.events, ...found], from: end, looking: end > 0 && time < times - 1 }
    }
  }
  const run = (abort: AbortSignal, work: Promise<void>): void => {
    work.catch(() => {
      if (!abort.aborted) state.value = { ...state.value, looking: false }
    })
  }
  useEffect(() => {
    const abort = new AbortController()
    state.value = { events: [], from: 0, looking: subject !== undefined }
    if (subject === undefined) return
    run(
      abort.signal,
      get<{ seq: number }>("/events/latest", {}, abort.signal).then(({ data }) => search(abort.signal, data.seq, 5))
    )
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
  const { events, from, looking } = state.value
  return {
    events,
    looking,
    further:
      from === 0 || looking
        ? undefined
        : () => {
            const abort = new AbortController()
            state.value = { ...state.value, looking: true }
            run(abort.signal, search(abort.signal, from, 10))
          }
  }
}
