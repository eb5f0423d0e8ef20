import type { Petstore } from "@petstore/core"
import type { Opened, Variant } from "../compare.ts"

type Listener = (event: { readonly seq: number }) => void

/** Follows nothing. */
export const nothing = async (): Promise<Opened> => ({ settled: async () => {}, close: async () => {} })

/** Resolves when something is done. */
export const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** So many subscribers in the process, of each kind, to the events of so many orders for a pet. */
export const listeners = (petstore: Petstore, petId: number, orders: number): ReadonlyArray<Variant> => {
  const subscribed =
    (count: number, options: Parameters<Petstore["events"]["subscribe"]>[1], perOrder: number, listener?: Listener) =>
    async (): Promise<Opened> => {
      let received = 0
      const listen =
        listener ??
        (() => {
          received++
        })
      const subscriptions = await Promise.all(
        Array.from({ length: count }, () => petstore.events.subscribe(listen, options))
      )
      return {
        settled: async () => {
          const last = await petstore.events.latest()
          await until(() => subscriptions.every(({ position }) => position >= last))
          if (listener === undefined && received !== perOrder * orders * count) throw new Error(`${received} events`)
          received = 0
        },
        close: async () => {
          for (const subscription of subscriptions) subscription.close()
        }
      }
    }
  const counts = [1, 10, 100, 1_000]
  const byHand = (count: number): Variant => {
    const counts = { received: 0 }
    const callbacks = new Set(
      Array.from({ length: count }, () => () => {
        counts.received++
      })
    )
    return {
      name: `1 subscriber that calls ${count} functions`,
      open: subscribed(1, {}, 2, () => {
        for (const callback of callbacks) callback()
      })
    }
  }
  return [
    { name: "no subscriber", open: nothing },
    ...counts.map(
      (count): Variant => ({
        name: `${count} subscribers to every event`,
        open: subscribed(count, {}, 2),
        ...(count <= 100 ? { target: 1.1 } : {})
      })
    ),
    byHand(100),
    byHand(1_000),
    ...counts.map(
      (count): Variant => ({
        name: `${count} subscribers to one of the two types`,
        open: subscribed(count, { types: ["order.placed"] }, 1)
      })
    ),
    ...counts.map(
      (count): Variant => ({
        name: `${count} subscribers to another type`,
        open: subscribed(count, { types: ["order.cancelled"] }, 0),
        ...(count <= 100 ? { target: 1.1 } : {})
      })
    ),
    ...[100, 1_000].map(
      (count): Variant => ({
        name: `${count} subscribers to another subject`,
        open: subscribed(count, { subject: "pets/999999" }, 0),
        ...(count <= 100 ? { target: 1.1 } : {})
      })
    ),
    ...[100, 1_000].map(
      (count): Variant => ({
        name: `${count} subscribers to the subject of every second event`,
        open: subscribed(count, { subject: `inventory/${petId}` }, 1)
      })
    )
  ]
}
