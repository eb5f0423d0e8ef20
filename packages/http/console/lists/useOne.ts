import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, type Query } from "../api/request.ts"

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
