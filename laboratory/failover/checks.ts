import type { ServerLoad } from "../load/ServerLoad.ts"
import type { AppServer } from "./AppServer.ts"
import { until } from "./until.ts"

/** Something that must hold at the end, with what speaks against it. */
export interface Check {
  readonly name: string
  readonly violations: ReadonlyArray<string>
}

const check = (name: string, violations: ReadonlyArray<string | false>): Check => ({
  name,
  violations: violations.filter((violation) => violation !== false)
})

/** Subscribers hear of a commit soon after it. */
const subscriberSeconds = 10

const checkSubscriber = async (
  server: AppServer,
  latest: number,
  acknowledged: ReadonlySet<number>
): Promise<Check> => {
  const last = await until(`the subscriber of ${server.name}`, subscriberSeconds, async () => {
    const report = await server.report()
    return report.position >= latest ? report : undefined
  }).catch(() => server.report())
  const placed = new Set(last.placed)
  return check(
    `subscriber of ${server.name}: events 1 to ${latest}, each once and in order (${last.failedReads} reads failed)`,
    [
      last.position !== latest && `it has seen ${last.position} of ${latest}`,
      ...last.disorder,
      placed.size !== last.placed.length && "it heard twice of an order",
      placed.size !== acknowledged.size &&
        `it heard of ${placed.size} orders, and ${acknowledged.size} are acknowledged`
    ]
  )
}

/** Seconds for a request, whatever has become of the database: those of a call that queued behind one that hung, and to connect. */
const requestLimit = 25

const checkTimes = ({ attempts }: ServerLoad): Check => {
  const longest = Math.max(0, ...attempts.map(({ at, sentAt }) => at - sentAt)) / 1000
  return check(`every request had a response within ${requestLimit} s`, [
    longest > requestLimit && `the longest took ${longest.toFixed(1)} s`
  ])
}

/** What the judge of the load does not see: subscribers, processes and times. */
export const checkServers = async (
  servers: ReadonlyArray<AppServer>,
  latest: number,
  load: ServerLoad
): Promise<ReadonlyArray<Check>> => [
  ...(await Promise.all(
    servers.filter(({ subscribes }) => subscribes).map((server) => checkSubscriber(server, latest, load.placed))
  )),
  checkTimes(load),
  check(
    "every application server ran to the end",
    servers.map(({ isRunning, name }) => !isRunning && `${name} ended`)
  )
]
