import { useEffect } from "preact/hooks"
import type { StoredEvent } from "../live/event.ts"
import { onEvents } from "../live/stream.ts"
import type { Loaded } from "./useList.ts"

/** Reads a list again a while after the first of several events that concern it, if the user looks at the page. */
export const useReloadSoon = (
  list: Pick<Loaded<unknown>, "reload">,
  millis: number,
  concerns: (events: ReadonlyArray<StoredEvent>) => boolean
): void =>
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined
    const stop = onEvents((events) => {
      if (!concerns(events)) return
      due ??= setTimeout(() => {
        due = undefined
        if (!document.hidden) list.reload()
      }, millis)
    })
    return () => {
      clearTimeout(due)
      stop()
    }
  }, [])
