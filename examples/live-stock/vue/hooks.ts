import { type ShallowRef, shallowRef, watchEffect } from "vue"
import type { Store } from "../browser/Store.ts"
import { countdown } from "../browser/serverTime.ts"
import { stock } from "../browser/shop.ts"

const useStore = <A>(storeOf: () => Store<A>): Readonly<ShallowRef<A>> => {
  const value = shallowRef(storeOf().get())
  watchEffect((onCleanup) => {
    const store = storeOf()
    const update = () => {
      value.value = store.get()
    }
    update()
    onCleanup(store.subscribe(update))
  })
  return value
}

/** The pets with their stock, as it changes. */
export const useStock = () => useStore(() => stock)

/** The seconds that are left until a time of the server. `until` may depend on properties and refs. */
export const useCountdown = (until: () => string) => useStore(() => countdown(until()))
