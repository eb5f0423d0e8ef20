import type { WebhookEndpointStats } from "@petstore/core"
import { signal } from "@preact/signals"
import type { ServerStats, StatsPoint } from "../../src/api/Server.ts"
import { get } from "../api/request.ts"
import { mayRead } from "../api/scopes.ts"
import { session } from "../api/session.ts"

export const stats = signal<ServerStats | undefined>(undefined)
export const statsError = signal<string>("")

/** Per second, between two readings. Both times are in seconds. */
interface Rates {
  readonly from: number
  readonly at: number
  readonly events: number
  readonly committed: number
  readonly rejected: number
  readonly commits: number
}
/** One for each reading of the last minutes, the newest last. */
export const rates = signal<ReadonlyArray<Rates>>([])

/** What rates are made of; the server keeps some of the last 15 minutes. */
type Point = Pick<StatsPoint, "at" | "latestEvent" | "committed" | "rejected" | "failed" | "commits">

const pointOf = ({ at, commits, events, transactions }: ServerStats): Point => ({
  ...transactions,
  at,
  commits: commits.count,
  latestEvent: events.latest
})

/** The rates between points that follow each other. */
const ratesOf = (points: ReadonlyArray<Point>): ReadonlyArray<Rates> =>
  points.slice(1).map((now, index) => {
    const then = points[index] ?? now
    const at = Date.parse(now.at) / 1000
    const from = Date.parse(then.at) / 1000
    const seconds = at - from
    // A server that has started again counts from 0.
    const rate = (after: number, before: number): number =>
      seconds <= 0 ? 0 : Math.max(0, after < before ? after : after - before) / seconds
    return {
      from,
      at,
      events: rate(now.latestEvent, then.latestEvent),
      committed: rate(now.committed, then.committed),
      rejected: rate(now.rejected + now.failed, then.rejected + then.failed),
      commits: rate(now.commits, then.commits)
    }
  })

/** A reading, if the page can be seen. */
const readStats = async (): Promise<void> => {
  if (session.value === undefined || document.hidden || !mayRead("stats:read")) return
  const before = stats.value
  try {
    const { data } = await get<ServerStats>("/stats")
    stats.value = data
    statsError.value = ""
    if (before === undefined) rates.value = ratesOf((await get<ReadonlyArray<Point>>("/stats/history")).data)
    else rates.value = [...rates.value, ...ratesOf([pointOf(before), pointOf(data)])].slice(-90)
  } catch (error) {
    statsError.value = error instanceof Error ? error.message : String(error)
  }
}

/** How often figures are read: 2 s on a page that shows them, else 10 s, for the counts beside the names of pages. */
const often = 2_000
let wantsEvery = 10_000
export const wantFigures = (): (() => void) => {
  wantsEvery = often
  return () => {
    wantsEvery = 10_000
  }
}
let lastRead = 0
setInterval(() => {
  if (Date.now() - lastRead < wantsEvery - 50) return
  lastRead = Date.now()
  void readStats()
}, 500)

/** How many transactions a commit has in the mean, if there was one. */
export const meanGroup = ({ count, transactions }: ServerStats["commits"]): string | undefined =>
  count === 0 ? undefined : (transactions / count).toFixed(2)

/** What waits for an endpoint, as of the last reading. */
export const figuresOf = (webhookId: number): WebhookEndpointStats | undefined =>
  stats.value?.webhooks.endpoints.find(({ id }) => id === webhookId)
