import { EventType } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { EventSource } from "eventsource"

/** What a client of the package `eventsource`, which knows nothing of this one, receives from a URL. */
export const strangersClient = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const seqs: Array<number> = []
      const errors: Array<number | undefined> = []
      const source = new EventSource(url, {
        fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } })
      })
      for (const type of EventType.literals) {
        source.addEventListener(type, ({ data, lastEventId }) => {
          const { seq }: { readonly seq: number } = JSON.parse(data)
          if (String(seq) !== lastEventId) errors.push(seq)
          seqs.push(seq)
        })
      }
      source.addEventListener("error", ({ code }) => errors.push(code))
      return { source, seqs, errors }
    }),
    ({ source }) => Effect.sync(() => source.close())
  )
