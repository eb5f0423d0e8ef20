// How long after a commit was reported to its caller a subscriber receives the event: in the same process and in another.

import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import type { Row } from "../report/Row.ts"
import { quantile } from "../report/statistics.ts"
import { type Arrival, now } from "./member.ts"
import { migrate } from "./migrate.ts"
import { request, startMember, stopMember } from "./processes.ts"
import { atMost } from "./report.ts"
import { seed } from "./seed.ts"
import type { Server } from "./server.ts"

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const loads = [
  { title: "an order every 20 ms", callers: 1, pause: 20, seconds: 6 },
  { title: "32 callers", callers: 32, pause: 0, seconds: 3 }
]

export const events = async (server: Server): Promise<ReadonlyArray<Row>> => {
  const url = await server.create("events")
  await migrate(url)
  await seed(url, { pets: 1000, orders: 1000 })
  const petstore = await createPetstore({ storage: postgres(url) })
  const elsewhere = await startMember(url)
  const committed = new Map<number, number>()
  const arrivals = { here: new Map<number, number>(), elsewhere: new Map<number, number>() }
  await petstore.events.subscribe(({ data }) => arrivals.here.set(data.id, now()), { types: ["order.placed"] })
  await request(elsewhere, { subscribe: true })
  elsewhere.on("message", ({ at, orderId }: Arrival) => arrivals.elsewhere.set(orderId, at))
  const rows: Array<Row> = []
  for (const { callers, pause: between, seconds, title } of loads) {
    committed.clear()
    const end = performance.now() + seconds * 1000
    let next = 0
    const caller = async (): Promise<void> => {
      while (performance.now() < end) {
        const { id } = await petstore.orders.place({ petId: (next++ % 1000) + 1 })
        committed.set(id, now())
        if (between > 0) await pause(between)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    const deadline = performance.now() + 10_000
    const isMissing = () => [...committed.keys()].some((id) => !arrivals.elsewhere.has(id) || !arrivals.here.has(id))
    while (isMissing()) {
      if (performance.now() > deadline) throw new Error("A subscriber did not receive every event")
      await pause(20)
    }
    for (const [place, found, bound] of [
      ["in the process", arrivals.here, 10],
      ["in another process", arrivals.elsewhere, 150]
    ] as const) {
      // An event that arrives before its caller hears of the commit was not late at all.
      const delays = [...committed].map(([id, at]) => Math.max(0, (found.get(id) ?? Number.NaN) - at))
      rows.push(atMost(`commit to subscriber ${place}, ${title}`, "ms", quantile(delays, 0.5), bound))
    }
  }
  await petstore.close()
  await stopMember(elsewhere)
  return rows
}
