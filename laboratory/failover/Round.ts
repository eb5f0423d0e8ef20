import { setTimeout as sleep } from "node:timers/promises"
import { isTransient } from "../../packages/http/src/cli/prove/load.ts"
import type { ServerLoad } from "../load/ServerLoad.ts"
import type { AppServer } from "./AppServer.ts"
import type { PatroniCluster } from "./PatroniCluster.ts"
import type { Readiness } from "./Readiness.ts"
import { until } from "./until.ts"

/** What happened in a round. */
export interface Round {
  /** What became of the leader. */
  readonly fault: "killed" | "hung"
  /** When, as in the logs of the cluster. */
  readonly time: string
  readonly victim: string
  readonly leader: string
  /** Seconds from the kill to the first acknowledged call that a client sent to each server after it: the last server's. */
  readonly outage: number
  /** Calls acknowledged since the round before. */
  readonly acknowledged: number
  readonly failures: number
  /** The longest request since the round before, in seconds. */
  readonly longest: number
  readonly violations: ReadonlyArray<string>
}

interface Run {
  readonly cluster: PatroniCluster
  readonly servers: ReadonlyArray<AppServer>
  readonly readiness: Readiness
  readonly load: ServerLoad
  readonly random: () => number
  /** Seconds until everything must work again. */
  readonly limit: number
}

/** The share of rounds in which the machine of the leader hangs, instead of being killed. */
const shareOfHanging = 0.3

/** Kills the leader under load, or makes it hang, waits until every server works again, and lets that machine return as a standby. */
export const runRound = async ({ cluster, limit, load, random, readiness, servers }: Run): Promise<Round> => {
  const before = load.attempts.length
  const victim = await cluster.whole(limit)
  const fault = random() < shareOfHanging ? "hung" : "killed"
  await sleep(1000 + 2000 * random())
  const start = performance.now()
  const time = new Date().toISOString().slice(11, 19)
  if (fault === "hung") cluster.freeze(victim)
  else await cluster.kill(victim)
  // What the leader has confirmed in its last moments arrives after the kill.
  const dead = performance.now() + 100
  const sentLater = (server: AppServer) =>
    load.attempts.filter((attempt) => attempt.server === server && attempt.sentAt > dead)
  const firstSuccess = (server: AppServer) => sentLater(server).find(({ error }) => error === undefined)?.at
  const recovered = servers.map((server) =>
    until(`a call through ${server.name}`, limit, () => firstSuccess(server)).catch(async (cause) => {
      const leader = await cluster.leader(victim)
      throw new Error(`${cause.message}: ${victim} was ${fault}, ${leader ?? "none"} leads`, {
        cause: {
          serversThatWork: servers.filter((one) => firstSuccess(one) !== undefined).map(({ name }) => name),
          readiness: servers.map((one) => `${one.name} ${readiness.since(one, start).at(-1)}`),
          failures: sentLater(server)
            .flatMap(({ error }) => (error === undefined ? [] : [String(error)]))
            .slice(-10),
          members: await cluster.members().catch(String)
        }
      })
    })
  )
  const outage = Math.max(...(await Promise.all(recovered))) - start
  const leader = await until("the new leader", limit, () => cluster.leader(victim))
  const violations = await readinessIn(readiness, servers, start)
  // As the watchdog of a machine that hangs does: a leader that goes on as if no time had passed takes its lock back.
  if (fault === "hung") await cluster.kill(victim)
  cluster.startNode(victim)
  await cluster.whole(limit)
  const attempts = load.attempts.slice(before)
  return {
    fault,
    time,
    victim,
    leader,
    outage: outage / 1000,
    acknowledged: attempts.filter(({ error }) => error === undefined).length,
    failures: attempts.filter(({ error }) => error !== undefined && isTransient(error)).length,
    longest: Math.max(0, ...attempts.map(({ at, sentAt }) => at - sentAt)) / 1000,
    violations
  }
}

/** Every server must have said that it is not ready while it waited, and that it is ready now. */
const readinessIn = async (
  readiness: Readiness,
  servers: ReadonlyArray<AppServer>,
  start: number
): Promise<ReadonlyArray<string>> => {
  const violations: Array<string> = []
  for (const server of servers) {
    const isReady = () => (readiness.since(server, start).at(-1) === 200 ? true : undefined)
    await until(`${server.name} to be ready`, 15, isReady).catch(() =>
      violations.push(`${server.name} is not ready again`)
    )
    const statuses = new Set(readiness.since(server, start))
    if (!statuses.has(503)) violations.push(`${server.name} did not say that it is not ready`)
    for (const status of statuses) {
      if (status !== 200 && status !== 503) violations.push(`${server.name} said ${status} to its probe`)
    }
  }
  return violations
}
