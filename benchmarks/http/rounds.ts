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
  readonly warmUp: number
  readonly rate?: number | undefined
}

/** Lets the servers take turns, in the opposite order in every second round. Returns the rounds of each. */
export const alternate = async (
  servers: ReadonlyArray<ServerProcess>,
  clients: Clients,
  { key, pets }: ShopFile,
  { rounds, warmUp, ...load }: RoundOptions
): Promise<ReadonlyArray<ReadonlyArray<Round>>> => {
  const run = async (server: ServerProcess, seconds: number): Promise<Round> => {
    const before = await server.usage()
    const result = await clients.run({ ...load, seconds, port: server.port, key, pets })
    const after = await server.usage()
    const cpu = (after.cpu - before.cpu) / result.responses
    return { ...result, rate: result.responses / result.seconds, cpu, rss: after.rss }
  }
  const all: ReadonlyArray<Array<Round>> = servers.map(() => [])
  for (const server of servers) await run(server, warmUp)
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [...servers.keys()] : [...servers.keys()].reverse()
    for (const index of order) {
      const server = servers[index]
      if (server !== undefined) all[index]?.push(await run(server, load.seconds))
    }
  }
  return all
}
