import { type Signal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { get, type Query } from "../api/request.ts"

/** The rows of a page. */
export const pageSize = 50
/** A page of some filters looks at a part of the store, and may have no rows: this number of them is read without asking the user. */
const emptyPages = 20

export interface Loaded<A> {
  readonly rows: Signal<ReadonlyArray<A> | undefined>
  readonly error: Signal<unknown>
  readonly more: Signal<(() => void) | undefined>
  readonly total: Signal<string | undefined>
  readonly reload: () => void
  readonly loading: Signal<boolean>
}

const newList = <A>() => {
  let asked = new AbortController()
  /** What the list is of now: reloading asks for this. */
  let question: { readonly path: string | undefined; readonly query: Query } = { path: undefined, query: {} }
  const rows = signal<ReadonlyArray<A> | undefined>(undefined)
  const error = signal<unknown>(undefined)
  const more = signal<(() => void) | undefined>(undefined)
  const total = signal<string | undefined>(undefined)
  const loading = signal(false)
  const load = async (cursor?: string): Promise<void> => {
    asked.abort()
    const { path, query } = question
    if (path === undefined) return
    asked = new AbortController()
    const { signal: mine } = asked
    loading.value = true
    try {
      const read = (from: string | undefined) =>
        get<ReadonlyArray<A>>(path, { limit: pageSize, ...query, cursor: from }, mine)
      let page = await read(cursor)
      for (let more = emptyPages; page.data.length === 0 && page.next !== undefined && more > 1; more--) {
        page = await read(page.next)
      }
      if (mine.aborted) return
      const { data, next } = page
      rows.value = cursor === undefined ? data : [...(rows.value ?? []), ...data]
      error.value = undefined
      if (page.total !== undefined) total.value = page.total
      more.value = next === undefined ? undefined : () => void load(next)
    } catch (cause) {
      if (!mine.aborted) error.value = cause
    } finally {
      if (!mine.aborted) loading.value = false
    }
  }
  const ask = (path: string | undefined, query: Query): (() => void) => {
    question = { path, query }
    rows.value = undefined
    total.value = undefined
    more.value = undefined
    void load()
    return () => asked.abort()
  }
  return { ask, rows, error, more, total, loading, reload: () => void load() }
}

/** A list of the API, a page at a time. A newer question makes the older one void. */
export const useList = <A>(path: string | undefined, query: Query = {}): Loaded<A> => {
  const list = useMemo(() => newList<A>(), [])
  useEffect(() => list.ask(path, query), [JSON.stringify([path, query])])
  return list
}
