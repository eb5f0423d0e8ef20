import { type Turns, takeTurns } from "../turns.ts"
import type { Clients } from "./Clients.ts"
import type { LoadResult, Mix } from "./Load.ts"
import type { ServerProcess } from "./ServerProcess.ts"
import type { ShopFile } from "./Shop.ts"

/** What a contender did in one round. */
export interface Round extends LoadResult {
  /** Responses per second. */
  readonly rate: number
  /** Microseconds of processor time for a response. */
  readonly cpu: number
  /** Bytes of resident memory at its end. */
  readonly rss: number
}

export interface RoundOptions {
  readonly mix: Mix
  readonly connections: number
  readonly rounds: number
  /** Seconds of a round. */
  readonly seconds: number
  /** How many responses a server has sent before it is measured, unless that takes more than a minute. */
  readonly warmUp: number
  readonly rate?: number | undefined
}

const longestWarmUp = 60_000

/** Lets the servers take turns. */
export const alternate = async (
  servers: ReadonlyArray<ServerProcess>,
  clients: Clients,
  { key, pets }: ShopFile,
  { rounds, warmUp, ...load }: RoundOptions
): Promise<Turns<Round>> => {
  const run = async (server: ServerProcess, seconds: number): Promise<Round> => {
    const before = await server.usage()
    const result = await clients.run({ ...load, seconds, port: server.port, key, pets })
    const after = await server.usage()
    const cpu = (after.cpu - before.cpu) / result.responses
    const rate = result.responses / result.seconds
    return { ...result, rate, cpu, rss: after.rss }
  }
  // Machines differ in how long V8 takes to compile what runs often: a slow one needs 20 s of orders on one connection.
  for (const server of servers) {
    const end = performance.now() + longestWarmUp
    for (let responses = 0; responses < warmUp && performance.now() < end; ) {
      responses += (await run(server, load.seconds)).responses
    }
  }
  return takeTurns(
    rounds,
    servers.map((server) => () => run(server, load.seconds))
  )
}
