import type { Petstore } from "@petstore/core"
import type { Opened, Variant } from "../compare.ts"

/** Resolves when something is done. */
const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const count = 100

/** A hundred subscribers in the process, of each kind, to the two events of each of so many orders. */
export const listeners = (petstore: Petstore, orders: number): ReadonlyArray<Variant> => {
  const subscribed =
    (options: Parameters<Petstore["events"]["subscribe"]>[1], perOrder: number) => async (): Promise<Opened> => {
      let received = 0
      const listen = () => {
        received++
      }
      const subscriptions = await Promise.all(
        Array.from({ length: count }, () => petstore.events.subscribe(listen, options))
      )
      return {
        settled: async () => {
          const last = await petstore.events.latest()
          await until(() => subscriptions.every(({ position }) => position >= last))
          if (received !== perOrder * orders * count) throw new Error(`${received} events`)
          received = 0
        },
        close: async () => {
          for (const subscription of subscriptions) subscription.close()
        }
      }
    }
  return [
    { name: "no subscriber", open: async () => ({ settled: async () => {}, close: async () => {} }) },
    { name: `${count} subscribers to every event`, open: subscribed({}, 2) },
    { name: `${count} subscribers to another type`, open: subscribed({ types: ["order.cancelled"] }, 0) }
  ]
}
