// Four processes with 16 callers each against one with 64: what servers on one database cost each other.

import type { Row } from "../report/Row.ts"
import { migrate } from "./migrate.ts"
import type { OrdersOptions } from "./orders.ts"
import { request, startMember, stopMember } from "./processes.ts"
import { ordersRow } from "./report.ts"
import { seed } from "./seed.ts"
import { query, type Server } from "./server.ts"

const deadlocks = async (url: string): Promise<number> => {
  const [row] = await query(url, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
  return Number(row?.deadlocks)
}

export const servers = async (server: Server, { rounds, seconds }: OrdersOptions): Promise<ReadonlyArray<Row>> => {
  const url = await server.create("servers")
  await migrate(url)
  await seed(url, { pets: 1000, orders: 1000 })
  const teams = [
    { members: [await startMember(url)], callers: 64, speeds: [] as number[] },
    {
      members: await Promise.all(Array.from({ length: 4 }, () => startMember(url))),
      callers: 16,
      speeds: [] as number[]
    }
  ]
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { callers, members, speeds } of teams) {
      const runs = (await Promise.all(
        members.map((member) => request(member, { place: { callers, pets: 1000, seconds } }))
      )) as ReadonlyArray<{ readonly perSecond: number }>
      if (round > 0) speeds.push(runs.reduce((sum, { perSecond }) => sum + perSecond, 0))
    }
  }
  for (const { members } of teams) await Promise.all(members.map(stopMember))
  const [one, four] = teams.map(({ speeds }) => speeds)
  const count = await deadlocks(url)
  if (count > 0) throw new Error(`${count} transactions of these servers waited for each other`)
  return [ordersRow("four servers with 16 callers / one with 64", four ?? [], one ?? [], { atLeast: 0.6 })]
}
