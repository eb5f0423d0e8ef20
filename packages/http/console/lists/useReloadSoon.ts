import { useEffect } from "preact/hooks"
import type { StoredEvent } from "../live/event.ts"
import { onEvents } from "../live/stream.ts"
import { type Loaded, pageSize } from "./useList.ts"

/**
 * Reads a list again a while after the first of several events that concern it, once the user looks at the page. A list of several pages stays as
 * it is: reading it again would take away what the user has loaded.
 */
export const useReloadSoon = (
  list: Pick<Loaded<unknown>, "reload"> & Partial<Pick<Loaded<unknown>, "rows">>,
  millis: number,
  concerns: (events: ReadonlyArray<StoredEvent>) => boolean
): void =>
  useEffect(() => {
    let due: ReturnType<typeof setTimeout> | undefined
    let isMissed = false
    const reload = (): void => {
      due = undefined
      isMissed = document.hidden
      if (!isMissed && (list.rows?.value?.length ?? 0) <= pageSize) list.reload()
    }
    const stop = onEvents((events) => {
      if (due === undefined && concerns(events)) due = setTimeout(reload, millis)
    })
    const onVisible = (): void => {
      if (isMissed) reload()
    }
    document.addEventListener("visibilitychange", onVisible)
    return () => {
      clearTimeout(due)
      document.removeEventListener("visibilitychange", onVisible)
      stop()
    }
  }, [])
