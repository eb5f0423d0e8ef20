import type { Server } from "./server.ts"

/** What so many callers got done, each of whom places one order after the other. */
export interface Run {
  readonly perSecond: number
  /** Milliseconds of processor time for an order: of this process, and of the server. */
  readonly client: number
  readonly server: number
}

export interface Callers {
  readonly callers: number
  /** Orders are for the pets 1 to this, in turn. */
  readonly pets: number
  readonly seconds: number
}

const usedHere = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Lets callers place orders for so many seconds. */
export const placeOrders = async (
  place: (petId: number) => Promise<unknown>,
  { callers, pets, seconds }: Callers
): Promise<{ readonly orders: number; readonly perSecond: number }> => {
  let orders = 0
  let next = 0
  const start = performance.now()
  const caller = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1000) {
      await place((next++ % pets) + 1)
      orders++
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { orders, perSecond: (orders * 1000) / (performance.now() - start) }
}

/** The same, with the processor time that it took. */
export const measure = async (
  server: Server,
  place: (petId: number) => Promise<unknown>,
  callers: Callers
): Promise<Run> => {
  const before = { client: usedHere(), server: server.processorTime() }
  const { orders, perSecond } = await placeOrders(place, callers)
  return {
    perSecond,
    client: (usedHere() - before.client) / orders,
    server: (server.processorTime() - before.server) / orders
  }
}
