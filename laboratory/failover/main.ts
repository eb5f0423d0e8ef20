import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import { randomOf } from "../../packages/adapters/test/support/random.ts"
import { violationsOf } from "../../packages/http/src/cli/prove/readBack.ts"
import type { Lab } from "../Lab.ts"
import { ServerLoad } from "../load/ServerLoad.ts"
import { AppServer } from "./AppServer.ts"
import { checkServers } from "./checks.ts"
import { PatroniCluster } from "./PatroniCluster.ts"
import { Readiness } from "./Readiness.ts"
import { type Round, runRound } from "./Round.ts"
import { heading, rowOf, summary } from "./report.ts"
import { until } from "./until.ts"

const clients = 48
/** Seconds in which everything must work again. */
const limit = 90

/** Kills the leader in every round under load, then lets the clients finish. */
const runRounds = async (
  lab: Lab,
  cluster: PatroniCluster,
  servers: ReadonlyArray<AppServer>,
  load: ServerLoad
): Promise<ReadonlyArray<Round>> => {
  const readiness = new Readiness(servers)
  const random = randomOf(lab.seed)
  const results: Array<Round> = []
  try {
    await until("the load", limit, () => (load.acknowledged > clients ? true : undefined))
    lab.log(heading)
    for (let number = 1; number <= lab.rounds && !lab.isOver; number++) {
      const round = await runRound({ cluster, servers, readiness, load, random, limit })
      results.push(round)
      lab.log(rowOf(number, round))
    }
  } finally {
    await load.end()
    await readiness.stop()
  }
  return results
}

/**
 * Kills the leader of a replicated PostgreSQL again and again under load, or makes its machine hang. Three application servers, one through
 * HAProxy, one with all hosts in its URL, and `petstore serve`, have the load of `petstore prove`. Needs Debian's packages; it says which are missing.
 */
export const ask = async (lab: Lab): Promise<void> => {
  lab.log(`seed ${lab.seed}`)
  await using cluster = await PatroniCluster.start()
  const user = "postgres:postgres"
  const throughProxy = `postgres://${user}@127.0.0.1:${cluster.port}/postgres`
  const severalHosts = `postgres://${user}@${cluster.nodes.map((node) => `127.0.0.1:${node.postgres}`).join(",")}/postgres`
  lab.log(`cluster of ${cluster.nodes.length} nodes: ${severalHosts.replace(user, "postgres")}`)

  const petstore = await createPetstore({ storage: postgres(severalHosts) })
  await using first = await AppServer.start("proxy", throughProxy)
  await using second = await AppServer.start("hosts", severalHosts)
  await using third = await AppServer.startCli("serve", severalHosts)
  const servers = [first, second, third]
  const load = new ServerLoad([first, second, third], { seed: lab.seed, clients, wait: limit })
  const results = await runRounds(lab, cluster, servers, load).catch((error) => {
    lab.log(`The logs of the cluster are in ${cluster.keepLogs()}`)
    throw error
  })
  const proof = await load.judge(violationsOf(await petstore.verify()))
  const checks = await checkServers(servers, await petstore.events.latest(), load)
  await petstore.close()
  const report = summary(results, load, proof, checks)
  lab.log(report.text)
  if (report.violations > 0)
    lab.found(`${report.violations} violations. The logs of the cluster are in ${cluster.keepLogs()}`)
}
