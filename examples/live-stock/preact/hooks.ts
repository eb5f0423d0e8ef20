import { type ReadonlySignal, useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { Store } from "../browser/Store.ts"
import { countdown } from "../browser/serverTime.ts"
import { stock } from "../browser/shop.ts"

const useStore = <A>(store: Store<A>): ReadonlySignal<A> => {
  const value = useSignal(store.get())
  useEffect(() => {
    const update = () => {
      value.value = store.get()
    }
    update()
    return store.subscribe(update)
  }, [store])
  return value
}

/** The pets with their stock, as it changes. */
export const useStock = () => useStore(stock)

/** The seconds that are left until a time of the server. */
export const useCountdown = (until: string) => useStore(useMemo(() => countdown(until), [until]))
