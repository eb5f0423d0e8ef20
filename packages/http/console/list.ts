import { type Signal, signal, useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { get, onEvents, type StoredEvent } from "./api.ts"

export interface Loaded<A> {
  readonly rows: Signal<ReadonlyArray<A> | undefined>
  readonly error: Signal<unknown>
  readonly more: Signal<(() => void) | undefined>
  readonly total: Signal<string | undefined>
  readonly reload: () => void
  readonly loading: Signal<boolean>
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A list of the API, a page at a time. A newer question makes the older one void. */
export const useList = <A>(path: string | undefined, query: Query = {}): Loaded<A> => {
  const list = useMemo(() => {
    let asked = new AbortController()
    const rows = signal<ReadonlyArray<A> | undefined>(undefined)
    const error = signal<unknown>(undefined)
    const more = signal<(() => void) | undefined>(undefined)
    const total = signal<string | undefined>(undefined)
    const loading = signal(false)
    const load = async (from: string, question: Query, cursor?: string): Promise<void> => {
      asked.abort()
      asked = new AbortController()
      const { signal: mine } = asked
      loading.value = true
      try {
        const {
          data,
          next,
          total: counted
        } = await get<ReadonlyArray<A>>(from, { limit: 50, ...question, cursor }, mine)
        if (mine.aborted) return
        rows.value = cursor === undefined ? data : [...(rows.value ?? []), ...data]
        error.value = undefined
        if (counted !== undefined) total.value = counted
        more.value = next === undefined ? undefined : () => void load(from, question, next)
      } catch (cause) {
        if (!mine.aborted) error.value = cause
      } finally {
        if (!mine.aborted) loading.value = false
      }
    }
    return { rows, error, more, total, loading, load, stop: () => asked.abort() }
  }, [])
  const key = JSON.stringify([path, query])
  useEffect(() => {
    list.rows.value = undefined
    list.total.value = undefined
    if (path !== undefined) void list.load(path, query)
    return list.stop
  }, [key])
  return { ...list, reload: () => path !== undefined && void list.load(path, query) }
}

/** Reads a list again a while after the first of several askings, if somebody looks at the page. */
export const reloadSoon = (list: Pick<Loaded<unknown>, "reload">, millis: number) => {
  let due: ReturnType<typeof setTimeout> | undefined
  return {
    ask: () => {
      due ??= setTimeout(() => {
        due = undefined
        if (!document.hidden) list.reload()
      }, millis)
    },
    cancel: () => clearTimeout(due)
  }
}

export interface One<A> {
  readonly value: A | undefined
  readonly etag: string | undefined
  readonly error: unknown
  readonly reload: () => void
}

/** One resource of the API, with the tag that a change names. */
export const useOne = <A>(path: string | undefined, query: Query = {}): One<A> => {
  const state = useSignal<{ path?: string; value?: A; etag?: string | undefined; error?: unknown }>({})
  const round = useSignal(0)
  const key = JSON.stringify([path, query])
  useEffect(() => {
    if (path === undefined) return
    const abort = new AbortController()
    get<A>(path, query, abort.signal).then(
      ({ data, etag }) => {
        if (!abort.signal.aborted) state.value = { path: key, value: data, etag }
      },
      (error) => {
        if (!abort.signal.aborted) state.value = { path: key, error }
      }
    )
    return () => abort.abort()
  }, [key, round.value])
  const { error, etag, value } = state.value.path === key ? state.value : {}
  return {
    value,
    etag,
    error,
    reload: () => {
      round.value++
    }
  }
}

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
