import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { borrowed } from "./connection/borrowed.ts"
import { urlsOf } from "./connection/ConnectionSource.ts"
import { orStorageError } from "./connection/errors.ts"
import { openingError } from "./connection/openingError.ts"
import type { PostgresConnection } from "./connection/PostgresConnection.ts"
import { sourceOf } from "./connection/sourceOf.ts"
import { optionsOf, type PostgresOptions, settingsOf } from "./PostgresOptions.ts"

/** A setting or state of the server that decides whether acknowledged commands survive, or whether commits succeed at all. */
export interface DurabilityFinding {
  /** What was read, such as the name of a setting. */
  readonly subject: string
  readonly value: string
  /** What is wrong, then what to do; absent if it is as it should be. */
  readonly problem?: string
}

/** What a cluster promises for an acknowledged order. */
export interface Durability {
  /** Whether it survives the loss of a machine; `unknown` if that cannot be read from this server. */
  readonly survives: "yes" | "no" | "unknown"
  /** The same as a sentence, with the reason. */
  readonly conclusion: string
  /** The addresses of the servers of the URL that accept writes. Of several, each lacks what the others commit. */
  readonly primaries: ReadonlyArray<string>
  readonly findings: ReadonlyArray<DurabilityFinding>
}

/** What is read from a server. */
export interface ClusterFacts {
  readonly primaries: ReadonlyArray<string>
  readonly fsync: boolean
  /** The hosts of a URL with several that were reached and do not sync. */
  readonly withoutFsync: ReadonlyArray<string>
  readonly fullPageWrites: boolean
  /** The value that the server gives to sessions. */
  readonly synchronousCommit: string
  /** Empty if commits wait for no standby. */
  readonly synchronousStandbyNames: string
  /** How many standbys `synchronousStandbyNames` makes a commit wait for. */
  readonly waitsFor: number
  /** Standbys that stream now and may confirm commits; undefined if the role may not see them. */
  readonly confirming: number | undefined
  readonly isStandby: boolean
  /** Whether all machines of the service share replicated storage, as those of Aurora, AlloyDB and Neon do. */
  readonly sharesStorage: boolean
  /** Whether two clients get one session in turns, as behind a pooler in transaction mode. */
  readonly sharesSessions: boolean
  /** Whether the options prepare statements by name. */
  readonly prepares: boolean
  /** How many connections the role may have; undefined if as many as the server has. */
  readonly roleLimit: number | undefined
  readonly connections: number
  /** The most connections that one petstore opens. */
  readonly ownConnections: number
}

const onOff = (value: boolean): string => (value ? "on" : "off")

const finding = (subject: string, value: string, problem: string | false): DurabilityFinding =>
  problem === false ? { subject, value } : { subject, value, problem }

const confirmingStandbys = (confirming: number | undefined, waitsFor: number): DurabilityFinding => {
  const subject = "standbys that confirm commits"
  if (confirming === undefined) return finding(subject, "hidden", "this role may not see them. GRANT pg_monitor to it")
  const problem =
    confirming < waitsFor
      ? "commits wait until more standbys are back. Start them"
      : confirming === waitsFor && waitsFor > 0 && "commits wait if one of them stops. Add a standby"
  return finding(subject, `${confirming}, of which ${waitsFor} must`, problem)
}

const fsyncOf = ({ fsync, withoutFsync }: ClusterFacts): DurabilityFinding => {
  const where = withoutFsync.length === 0 ? "" : ` at ${withoutFsync.join(" and ")}`
  if (!fsync) return finding("fsync", `off${where}`, "a crash of the machine loses commits. Set it to on")
  if (where === "") return finding("fsync", "on", false)
  return finding("fsync", `on, off${where}`, "a crash there loses what it has confirmed. Set it to on")
}

const findingsOf = (facts: ClusterFacts): ReadonlyArray<DurabilityFinding> => {
  const { confirming, ownConnections, primaries, synchronousCommit, synchronousStandbyNames, waitsFor } = facts
  const limit = facts.roleLimit ?? facts.connections
  return [
    finding(
      "servers that accept writes",
      primaries.join(" and ") || "none",
      primaries.length > 1 && "each lacks what the others commit. Stop all but the one that your platform promoted"
    ),
    fsyncOf(facts),
    finding(
      "full_page_writes",
      onOff(facts.fullPageWrites),
      !facts.fullPageWrites && "a loss of power may leave pages half written. Set it to on"
    ),
    finding(
      "synchronous_commit",
      ["off", "local"].includes(synchronousCommit) ? `${synchronousCommit}, on in petstores` : synchronousCommit,
      synchronousCommit === "remote_write" &&
        "a standby confirms what its disk may not have: a loss of power on both machines loses commits. Set it to on"
    ),
    finding(
      "synchronous_standby_names",
      synchronousStandbyNames === "" ? "none" : synchronousStandbyNames,
      synchronousStandbyNames === "" &&
        !facts.sharesStorage &&
        "commits wait for no standby. Name two standbys, such as ANY 1 (n2, n3)"
    ),
    confirmingStandbys(confirming, waitsFor),
    finding(
      "pooler",
      facts.sharesSessions ? "transaction mode" : "none that shares sessions",
      facts.sharesSessions &&
        facts.prepares &&
        "named statements fail behind a pooler that does not carry them, such as PgBouncer before 1.21. Add ?prepare=false to the URL"
    ),
    finding(
      "connections",
      `${limit} for petstores of ${ownConnections} each`,
      limit < ownConnections && `one petstore may open ${ownConnections}. Raise the limit, or lower maxConnections`
    )
  ]
}

/** Decides what a cluster promises, from what was read of it. */
export const durabilityOf = (facts: ClusterFacts): Durability => {
  const findings = findingsOf(facts)
  const decided = (survives: Durability["survives"], reason: string): Durability => ({
    survives,
    conclusion: `${{ yes: "Yes", no: "No", unknown: "Unknown" }[survives]}: ${reason}`,
    primaries: facts.primaries,
    findings
  })
  if (facts.primaries.length > 1) {
    return decided(
      "no",
      `${facts.primaries.length} servers accept writes, so an acknowledged order may be on the one that does not go on.`
    )
  }
  if (facts.isStandby)
    return decided("unknown", "this server is a standby, and commits are made on its primary. Ask that one.")
  if (!facts.fsync) {
    return decided(
      "no",
      "with fsync off, an acknowledged order may be lost when the machine crashes, and its standbys may end up with less than they confirmed."
    )
  }
  if (facts.sharesStorage) {
    return decided("yes", "the service keeps what is committed on storage of several machines.")
  }
  if (facts.waitsFor === 0) {
    return decided(
      "no",
      "commits wait for no standby, so an acknowledged order may be on this machine only, unless the service copies its disk to another one at each commit."
    )
  }
  return decided(
    "yes",
    `an acknowledged order is on this machine and on ${facts.waitsFor === 1 ? "a standby" : `${facts.waitsFor} standbys`}, if only a standby that has every commit takes over.`
  )
}

/** How many standbys commits wait for, by the grammar of `synchronous_standby_names`. */
export const waitsForIn = (names: string): number => {
  if (names.trim() === "") return 0
  const counted = /^(?:(?:any|first)\s*)?(\d+)\s*\(/i.exec(names.trimStart())
  return counted === null ? 1 : Number(counted[1])
}

const selectFacts = `SELECT current_setting('fsync') = 'on' AS fsync,
  current_setting('full_page_writes') = 'on' AS full_page_writes,
  (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit,
  current_setting('synchronous_standby_names') AS names,
  pg_is_in_recovery() AS is_standby,
  pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees_standbys,
  (SELECT count(*)::int FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS confirming,
  to_regproc('aurora_version') IS NOT NULL
    OR EXISTS (SELECT 1 FROM pg_settings WHERE name LIKE 'alloydb.%' OR name LIKE 'neon.%') AS shares_storage,
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role_limit,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections`

const mark = "petstore.session"

/** A pooler may give each statement another session. */
const looks = 8

/** Whether a second client meets the session of the first, which is still connected. */
const sharesSessions = async (one: PostgresConnection, other: PostgresConnection): Promise<boolean> => {
  const id = `${Date.now()}`
  await one.query(`SELECT set_config('${mark}', '${id}', false)`)
  let isShared = false
  for (let look = 0; look < looks && !isShared; look++) {
    const { rows } = await other.query(`SELECT current_setting('${mark}', true) AS value`)
    isShared = rows[0]?.value === id
  }
  await one.query(`SELECT set_config('${mark}', '', false)`)
  return isShared
}

/** A connection of its own, also behind a pooler that does not carry named statements. */
const connectionOf = (options: PostgresOptions, role: "primary" | "any" = "primary") =>
  Effect.gen(function* () {
    const source = yield* sourceOf({ ...options, prepare: false }, role)
    const connection = yield* Effect.mapError(borrowed(source), openingError(source.address))
    return { address: source.address, connection }
  })

/** What one host of a URL is. */
interface Host {
  readonly address: string
  /** When the server started, which tells whether two addresses lead to one. */
  readonly start: unknown
  readonly isStandby: boolean
  readonly fsync: boolean
}

const selectHost = `SELECT extract(epoch FROM pg_postmaster_start_time())::text AS start, pg_is_in_recovery() AS is_standby,
  current_setting('fsync') = 'on' AS fsync`

/** Each host of the URL that can be reached; none if it has only one. */
const hostsOf = (options: PostgresOptions): Effect.Effect<ReadonlyArray<Host>> => {
  if (options.url === undefined || urlsOf(options.url).length === 1) return Effect.succeed([])
  const hostAt = (url: string) =>
    connectionOf({ ...options, url }, "any").pipe(
      Effect.flatMap(({ address, connection }) =>
        Effect.map(
          orStorageError(() => connection.query(selectHost)),
          ({ rows: [row] }): ReadonlyArray<Host> => [
            { address, start: row?.start, isStandby: row?.is_standby === true, fsync: row?.fsync === true }
          ]
        )
      ),
      Effect.scoped,
      Effect.orElseSucceed((): ReadonlyArray<Host> => [])
    )
  return Effect.map(Effect.forEach(urlsOf(options.url), hostAt, { concurrency: "unbounded" }), (hosts) => hosts.flat())
}

/** The servers that accept writes: the one that is used, and those at the other hosts of its URL. */
const primariesOf = (hosts: ReadonlyArray<Host>, used: string): ReadonlyArray<string> => {
  const primaries = hosts.filter(({ isStandby }) => !isStandby)
  return primaries.length === 0
    ? [used]
    : [...new Map(primaries.map(({ address, start }) => [start, address])).values()]
}

/**
 * Reads what decides whether an acknowledged order survives the loss of a machine, and changes nothing. Only members of `pg_monitor`
 * see which standbys confirm commits.
 */
export const durability = (urlOrOptions: string | PostgresOptions): Effect.Effect<Durability, StorageError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const options = optionsOf(urlOrOptions)
      const { maxConnections, prepare } = settingsOf(options)
      const { address, connection: one } = yield* connectionOf(options)
      const { connection: other } = yield* connectionOf(options)
      const [row] = (yield* orStorageError(() => one.query(selectFacts))).rows
      const names = String(row?.names)
      const roleLimit = Number(row?.role_limit)
      const hosts = yield* hostsOf(options)
      return durabilityOf({
        primaries: row?.is_standby === true ? [] : primariesOf(hosts, address),
        fsync: row?.fsync === true,
        withoutFsync: hosts.filter(({ fsync }) => !fsync).map(({ address: host }) => host),
        fullPageWrites: row?.full_page_writes === true,
        synchronousCommit: String(row?.synchronous_commit),
        synchronousStandbyNames: names,
        waitsFor: waitsForIn(names),
        confirming: row?.sees_standbys === true ? Number(row.confirming) : undefined,
        isStandby: row?.is_standby === true,
        sharesStorage: row?.shares_storage === true,
        sharesSessions: yield* orStorageError(() => sharesSessions(one, other)),
        prepares: prepare,
        roleLimit: roleLimit < 0 ? undefined : roleLimit,
        connections: Number(row?.connections),
        ownConnections: maxConnections
      })
    })
  )
