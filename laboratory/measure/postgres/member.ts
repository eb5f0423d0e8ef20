// A process with a petstore of its own, which does what the process that started it requests.

import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import { type Callers, placeOrders } from "./callers.ts"

/** What a process is asked for. */
export type Request =
  | { readonly place: Callers }
  /** Sends the time at which each event of an order arrives. */
  | { readonly subscribe: true }

/** When an event arrived, in milliseconds since the epoch. */
export interface Arrival {
  readonly orderId: number
  readonly at: number
}

export const now = (): number => performance.timeOrigin + performance.now()

if (process.send !== undefined && process.env.BENCH_DATABASE !== undefined) {
  const petstore = await createPetstore({ storage: postgres(process.env.BENCH_DATABASE) })
  process.once("disconnect", () => process.exit())
  process.on("message", async (request: Request) => {
    if ("place" in request) {
      process.send?.(await placeOrders((petId) => petstore.orders.place({ petId }), request.place))
    } else {
      await petstore.events.subscribe(({ data }) => process.send?.({ orderId: data.id, at: now() } satisfies Arrival), {
        types: ["order.placed"]
      })
      process.send?.("subscribed")
    }
  })
  process.send("ready")
}
