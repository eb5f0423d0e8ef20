import { useMemo, useSyncExternalStore } from "react"
import { countdown } from "../browser/serverTime.ts"
import { stock } from "../browser/shop.ts"

/** The pets with their stock, as it changes. */
export const useStock = () => useSyncExternalStore(stock.subscribe, stock.get, stock.get)

/** The seconds that are left until a time of the server. */
export const useCountdown = (until: string): number => {
  const timer = useMemo(() => countdown(until), [until])
  return useSyncExternalStore(timer.subscribe, timer.get, timer.get)
}
