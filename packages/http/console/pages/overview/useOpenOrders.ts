import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/request.ts"
import { mayRead } from "../../api/scopes.ts"
import { onEvents } from "../../live/stream.ts"

/** How many orders are open: asked for once, counted from events since, and asked for again each half minute. */
export const useOpenOrders = () => {
  const open = useSignal<string | undefined>(undefined)
  const ask = (): void => {
    if (!mayRead("orders:read") || document.hidden) return
    get("/store/orders", { state: "open", count: true, limit: 1 }).then(
      ({ total }) => {
        open.value = total
      },
      () => {}
    )
  }
  useEffect(() => {
    ask()
    let due: ReturnType<typeof setTimeout> | undefined
    const stop = onEvents((events) => {
      if (due === undefined && events.some(({ type }) => type.startsWith("order."))) {
        due = setTimeout(() => {
          due = undefined
          ask()
        }, 5000)
      }
    })
    return () => {
      clearTimeout(due)
      stop()
    }
  }, [])
  return open.value
}
