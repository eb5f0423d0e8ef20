// Orders per second of callers in one process, of each variant in turn.

import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import type { Row, Target } from "../report/Row.ts"
import { measure, type Run } from "./callers.ts"
import { type Contender, groups, interactive, pipelined, unnamed } from "./handWritten.ts"
import { migrate } from "./migrate.ts"
import { median, ordersRow } from "./report.ts"
import { seed } from "./seed.ts"
import { query, type Server } from "./server.ts"

const cases = [
  { callers: 1, pets: 1 },
  { callers: 1, pets: 1000 },
  { callers: 32, pets: 1 },
  { callers: 64, pets: 1 },
  { callers: 32, pets: 100 },
  { callers: 64, pets: 100 },
  { callers: 32, pets: 1000 },
  { callers: 64, pets: 1000 }
]

/** Places orders by the methods of a petstore. */
export const product = async (url: string): Promise<Contender> => {
  const petstore = await createPetstore({ storage: postgres(url) })
  return { place: (petId) => petstore.orders.place({ petId }), close: () => petstore.close() }
}

const contenders: Readonly<Record<string, (url: string, callers: number) => Promise<Contender>>> = {
  interactive,
  "interactive, unnamed": unnamed,
  // What a pool of pg opens unless told otherwise.
  "interactive, 10 connections": (url, callers) => interactive(url, Math.min(callers, 10)),
  pipelined,
  groups,
  petstore: product
}

const titleOf = ({ callers, pets }: (typeof cases)[number]): string =>
  `${callers} ${callers === 1 ? "caller" : "callers"}, ${pets === 1 ? "one pet" : `${pets} pets`}`

export interface OrdersOptions {
  readonly rounds: number
  readonly seconds: number
}

export const orders = async (server: Server, { rounds, seconds }: OrdersOptions): Promise<ReadonlyArray<Row>> => {
  // A database for each kind of writer, so that the product need not number the events of the others.
  const databases = { byHand: await server.create("by_hand"), product: await server.create("product") }
  for (const url of Object.values(databases)) {
    await migrate(url)
    await seed(url, { pets: 1000, orders: 1000 })
  }
  const rows: Array<Row> = []
  for (const one of cases) {
    const runs = new Map<string, Array<Run>>()
    const open = new Map<string, Contender>()
    for (const [name, connect] of Object.entries(contenders)) {
      if (one.callers <= 10 && name.includes("10 connections")) continue
      open.set(name, await connect(name === "petstore" ? databases.product : databases.byHand, one.callers))
      runs.set(name, [])
    }
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, { place }] of open) {
        const run = await measure(server, place, { ...one, seconds: round === 0 ? seconds / 2 : seconds })
        if (round > 0) runs.get(name)?.push(run)
      }
      await query(databases.byHand, "TRUNCATE petstore.petstore_pending")
    }
    for (const { close } of open.values()) await close()
    const speeds = (name: string) => (runs.get(name) ?? []).map(({ perSecond }) => perSecond)
    console.log(`\n${titleOf(one)}: orders/s (lowest to highest), processor ms for an order here and in the server`)
    for (const [name, of] of runs) {
      const [low, middle, high] = [Math.min(...speeds(name)), median(speeds(name)), Math.max(...speeds(name))].map(
        Math.round
      )
      const [here, there] = [median(of.map(({ client }) => client)), median(of.map(({ server }) => server))]
      console.log(
        `  ${name.padEnd(28)} ${String(middle).padStart(6)} (${low} to ${high})  ${here.toFixed(3)}  ${there.toFixed(3)}`
      )
    }
    const against = (name: string, target?: Target): Row =>
      ordersRow(`orders, ${titleOf(one)} / ${name}`, speeds("petstore"), speeds(name), target)
    if (one.callers === 1) {
      rows.push(against("interactive", { atLeast: 0.9 }), against("interactive, unnamed"))
      continue
    }
    rows.push(
      against("interactive", { atLeast: one.pets === 1 ? 15 : 8 }),
      against("interactive, unnamed"),
      against("interactive, 10 connections"),
      // Groups by hand check nothing and number no events: nothing that shares commits in this way is faster.
      against("groups", one.pets > 1 ? { atLeast: 0.6 } : undefined)
    )
  }
  return rows
}
