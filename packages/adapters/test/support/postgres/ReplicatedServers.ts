import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { PostgresServer, type Settings } from "./PostgresServer.ts"
import { query } from "./testDatabase.ts"

/** Processes die here and machines do not, so nothing waits for the disk. */
const settings: Settings = {
  fsync: false,
  wal_level: "replica",
  wal_log_hints: true,
  wal_keep_size: "256MB",
  max_connections: 60,
  max_wal_senders: 5,
  shared_buffers: "16MB",
  wal_receiver_status_interval: "1s",
  wal_retrieve_retry_interval: "100ms"
}

const nameOf = (index: number): string => `n${index + 1}`

const change = (server: PostgresServer, changed: Settings): void => {
  server.set(changed)
  server.reload()
}

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(10)) if (await holds()) return
  throw new Error(`Waited 30 s for ${what}`)
}

export interface ReplicatedServersOptions {
  /** Whether any one of the standbys must confirm each commit. True by default. */
  readonly isSynchronous?: boolean
  /** Settings of the primary, and of standbys as copies of it. */
  readonly settings?: Settings
}

/**
 * A primary and its standbys. A failover is what an operator does by hand: nothing is lost that a standby has confirmed, or
 * has received.
 */
export class ReplicatedServers {
  readonly servers: ReadonlyArray<PostgresServer>
  primary: PostgresServer
  private readonly isSynchronous: boolean

  private constructor(servers: ReadonlyArray<PostgresServer>, primary: PostgresServer, isSynchronous: boolean) {
    this.servers = servers
    this.primary = primary
    this.isSynchronous = isSynchronous
  }

  /** Starts a primary with so many standbys, and waits until all of them follow it. */
  static async start(
    standbys: number,
    { isSynchronous = true, settings: changed = {} }: ReplicatedServersOptions = {}
  ): Promise<ReplicatedServers> {
    const primary = await PostgresServer.create({ settings: { ...settings, cluster_name: nameOf(0), ...changed } })
    const servers = [primary]
    const replicated = new ReplicatedServers(servers, primary, isSynchronous)
    try {
      await primary.start()
      for (let index = 1; index <= standbys; index++) {
        const name = nameOf(index)
        const standby = await PostgresServer.standbyOf(primary, name, { cluster_name: name })
        servers.push(standby)
        await standby.start()
      }
      replicated.requireStandbys()
      await replicated.followed(standbys)
      return replicated
    } catch (error) {
      await replicated.remove()
      throw error
    }
  }

  /** The URL of all servers, in their order. */
  get url(): string {
    const [first = "", ...others] = this.servers.map((server) => server.url())
    const hosts = [first, ...others].map((url) => new URL(url).host)
    return first.replace(new URL(first).host, hosts.join(","))
  }

  /** All servers but the primary. */
  get standbys(): ReadonlyArray<PostgresServer> {
    return this.servers.filter((server) => server !== this.primary)
  }

  /** Waits until so many standbys receive what the primary writes. */
  followed(count: number): Promise<void> {
    const state = this.isSynchronous ? "quorum" : "async"
    return until(`${count} standbys`, async () => {
      const rows = await query(
        this.primary.url(),
        `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`
      )
      return rows.length >= count
    })
  }

  /** Waits until a standby has what the primary has written so far. */
  async caughtUp(standby: PostgresServer): Promise<void> {
    const [row] = await query(this.primary.url(), "SELECT pg_current_wal_flush_lsn() AS written")
    const has = `SELECT WHERE pg_last_wal_replay_lsn() >= '${row?.written}'`
    await until("what the primary has written", async () => (await query(standby.url(), has)).length > 0)
  }

  /** Lets a standby receive nothing more of what the primary writes. */
  async holdBack(standby: PostgresServer): Promise<void> {
    change(standby, { primary_conninfo: "" })
    await until("the end of the replication", async () => {
      const receivers = await query(standby.url(), "SELECT 1 FROM pg_stat_wal_receiver")
      return receivers.length === 0
    })
  }

  /** Makes the standby that has received most the primary, when the old one is dead or hangs. */
  async promote(): Promise<void> {
    const candidates = this.standbys.filter(({ isRunning }) => isRunning)
    // Nobody may receive from the old primary when they are compared; a primary that lives has nothing confirmed any more.
    await Promise.all(candidates.map((standby) => this.holdBack(standby)))
    const positions = await Promise.all(candidates.map((standby) => this.receivedBy(standby)))
    const best = candidates[positions.indexOf(positions.reduce((one, other) => (other > one ? other : one), 0n))]
    if (best === undefined) throw new Error("No standby runs")
    this.primary = best
    this.requireStandbys()
    await query(best.url(), "SELECT pg_promote(true, 30)")
    for (const other of candidates) {
      if (other === best) continue
      other.follow(best, this.nameOf(other))
      other.reload()
    }
  }

  /** Starts a server that was the primary and was shut down in order, as a standby of the new primary. */
  async rejoin(server: PostgresServer): Promise<void> {
    server.follow(this.primary, this.nameOf(server))
    await server.start()
  }

  async remove(): Promise<void> {
    for (const server of this.servers) server.thaw()
    await Promise.all(this.servers.map((server) => server.remove()))
  }

  private nameOf(server: PostgresServer): string {
    return nameOf(this.servers.indexOf(server))
  }

  /** Any one of the servers but the primary must confirm each commit. */
  private requireStandbys(): void {
    if (!this.isSynchronous) return
    const names = this.standbys.map((server) => this.nameOf(server))
    change(this.primary, { synchronous_standby_names: `ANY 1 (${names.join(", ")})` })
  }

  /** The position up to which a standby has received. */
  private async receivedBy(standby: PostgresServer): Promise<bigint> {
    const [row] = await query(
      standby.url(),
      "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0' AS position"
    )
    return BigInt(String(row?.position ?? 0))
  }
}

/** A primary with so many standbys, which go with the scope. */
export const replicatedServers = (
  standbys: number,
  options?: ReplicatedServersOptions
): Effect.Effect<ReplicatedServers, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => ReplicatedServers.start(standbys, options)),
    (replicated) => Effect.promise(() => replicated.remove())
  )
