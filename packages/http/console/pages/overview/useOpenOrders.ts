import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/request.ts"
import { mayRead } from "../../api/scopes.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { totalText } from "../../ui/text.ts"

/** How many orders are open: asked for once, and again five seconds after events of orders. */
export const useOpenOrders = () => {
  const open = useSignal<string | undefined>(undefined)
  const ask = (): void => {
    if (!mayRead("orders:read")) return
    get("/store/orders", { state: "open", count: true, limit: 1 }).then(
      ({ total }) => {
        open.value = total === undefined ? undefined : totalText(total)
      },
      () => {}
    )
  }
  useEffect(ask, [])
  useReloadSoon({ reload: ask }, 5000, (events) => events.some(({ type }) => type.startsWith("order.")))
  return open.value
}
