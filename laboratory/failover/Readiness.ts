import { setTimeout as sleep } from "node:timers/promises"
import type { AppServer } from "./AppServer.ts"

/** What a server said of itself at a moment. */
interface Observation {
  readonly at: number
  readonly status: number
}

const everyMillis = 250
const timeout = 10_000

/** Asks the servers again and again whether they are ready, and keeps what they say. */
export class Readiness {
  /** The longest that a server took to answer, in milliseconds. */
  longest = 0
  private readonly observations = new Map<AppServer, Array<Observation>>()
  private stopped = false
  private readonly watching: Promise<unknown>

  constructor(servers: ReadonlyArray<AppServer>) {
    this.watching = Promise.all(servers.map((server) => this.watch(server)))
  }

  /** The statuses of a server since a moment, of `performance.now()`. */
  since(server: AppServer, moment: number): ReadonlyArray<number> {
    return (this.observations.get(server) ?? []).filter(({ at }) => at >= moment).map(({ status }) => status)
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.watching
  }

  private async watch(server: AppServer): Promise<void> {
    const seen: Array<Observation> = []
    this.observations.set(server, seen)
    while (!this.stopped) {
      const at = performance.now()
      // 0: it said nothing.
      const status = await fetch(`${server.url}/health/ready`, { signal: AbortSignal.timeout(timeout) }).then(
        async (response) => {
          await response.arrayBuffer()
          return response.status
        },
        () => 0
      )
      this.longest = Math.max(this.longest, performance.now() - at)
      seen.push({ at, status })
      await sleep(everyMillis)
    }
  }
}
