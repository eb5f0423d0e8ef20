import { postgres } from "@petstore/adapters/postgres"
import { createPetstore, type Petstore } from "@petstore/core"
import { randomOf } from "../../packages/adapters/test/support/random.ts"
import type { Lab } from "../Lab.ts"
import { AppServer } from "./AppServer.ts"
import { Caller } from "./Caller.ts"
import { checkAll } from "./checks.ts"
import { Journal } from "./Journal.ts"
import { PatroniCluster } from "./PatroniCluster.ts"
import { Readiness } from "./Readiness.ts"
import { type Round, runRound } from "./Round.ts"
import { heading, rowOf, summary } from "./report.ts"
import { petsOfShop, type Shop } from "./shop.ts"

const callersPerServer = 16

const stockShop = async (petstore: Petstore): Promise<Shop> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const pets = []
  for (const [at, { share, units }] of petsOfShop.entries()) {
    const { id } = await petstore.pets.create({ name: `Pet ${at + 1}`, categoryId })
    await petstore.inventory.set(id, units)
    pets.push({ id, share, units })
  }
  return { pets }
}

/** Kills the leader in every round while callers order, then lets them finish. */
const runRounds = async (
  lab: Lab,
  limit: number,
  cluster: PatroniCluster,
  servers: ReadonlyArray<AppServer>,
  shop: Shop,
  journal: Journal
): Promise<ReadonlyArray<Round>> => {
  const stop = new AbortController()
  const end = new AbortController()
  const readiness = new Readiness(servers)
  const calling = servers.flatMap((server, at) =>
    Array.from({ length: callersPerServer }, (_, number) => {
      const name = `${server.name}-${number}`
      const caller = new Caller(name, server, shop, journal, randomOf(lab.seed + 1000 * (at + 1) + number))
      return caller.run(stop.signal, end.signal)
    })
  )
  const random = randomOf(lab.seed)
  const results: Array<Round> = []
  try {
    lab.log(heading)
    for (let number = 1; number <= lab.rounds && !lab.isOver; number++) {
      const round = await runRound({ cluster, servers, readiness, journal, random, limit })
      results.push(round)
      lab.log(rowOf(number, round))
    }
  } finally {
    stop.abort()
    setTimeout(() => end.abort(), limit * 1000).unref()
    await Promise.all(calling)
    await readiness.stop()
  }
  return results
}

/**
 * Kills the leader of a replicated PostgreSQL again and again under load, or makes its machine hang. Three application servers, one through
 * HAProxy, one with all hosts in its URL, and `petstore serve`, have 16 callers each, who retry every order under its key until it has a
 * result. Needs Debian's packages; it says which are missing.
 */
export const ask = async (lab: Lab<{ readonly limit: number | undefined }>): Promise<void> => {
  const { limit = 90 } = lab.flags
  lab.log(`seed ${lab.seed}`)
  await using cluster = await PatroniCluster.start()
  const user = "postgres:postgres"
  const throughProxy = `postgres://${user}@127.0.0.1:${cluster.port}/postgres`
  const severalHosts = `postgres://${user}@${cluster.nodes.map((node) => `127.0.0.1:${node.postgres}`).join(",")}/postgres`
  lab.log(`cluster of ${cluster.nodes.length} nodes: ${severalHosts.replace(user, "postgres")}`)

  const petstore = await createPetstore({ storage: postgres(severalHosts) })
  const shop = await stockShop(petstore)
  await using first = await AppServer.start("proxy", throughProxy)
  await using second = await AppServer.start("hosts", severalHosts)
  await using third = await AppServer.startCli("serve", severalHosts)
  const servers = [first, second, third]
  const journal = new Journal()
  const results = await runRounds(lab, limit, cluster, servers, shop, journal).catch((error) => {
    lab.log(`The logs of the cluster are in ${cluster.keepLogs()}`)
    throw error
  })
  const checks = await checkAll(petstore, servers, shop, journal)
  await petstore.close()
  const report = summary(results, journal, checks)
  lab.log(report.text)
  if (report.violations > 0)
    lab.found(`${report.violations} violations. The logs of the cluster are in ${cluster.keepLogs()}`)
}
