import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync
} from "node:fs"
import { basename } from "node:path"
import { machineClock } from "../connection/busyRetry.ts"
import { type Connection, defaultPrefix } from "../connection/Connection.ts"
import { openRegularFile, shareFile } from "../connection/regularFile.ts"

/** An event that was the latest one of its log. */
export interface LatestEvent {
  readonly seq: number
  readonly id: string
}

/** Milliseconds after which the file is opened again: it may have been deleted, or could not be opened. */
const reopeningMillis = 1_000

/** The path of a database without links; of one that does not exist, the path itself. */
export const withoutLinks = (database: string): string => (existsSync(database) ? realpathSync(database) : database)

/** The path of the head of the event log in a database. */
export const headPath = (database: string, prefix: string): string =>
  `${withoutLinks(database)}-${prefix === defaultPrefix ? "" : prefix}head`

/** More than the longest record. */
const mostBytes = 256

/** The number is there twice: what was written by halves has two. */
const format = /^(\d+) (\S+) \1\n/

/** The id of an event. That of one in a form has no prefix in the table. */
const idOf = (stored: string): string => (stored.startsWith("evt_") ? stored : `evt_${stored}`)

/**
 * Records the latest committed event in a file beside the database, `petstore.db-head`: if the end of the log is lost with a part of
 * the files, the missing events show it. A log without its end verifies without a violation, and its ids would be used twice. Without a sync, since an event that is older than the log is right as well. Several
 * processes may write to the file, and one that cannot be written to is left alone.
 */
export class EventLogHead {
  private readonly path: string
  private readonly database: Stats
  private file: number | undefined
  private openedAt = Number.NEGATIVE_INFINITY

  /** Throws if the database does not exist. */
  constructor(database: string, prefix: string) {
    this.path = headPath(database, prefix)
    this.database = statSync(database)
  }

  /** Records an event that is durable. */
  record({ id, seq }: LatestEvent): void {
    try {
      if (machineClock.now() - this.openedAt >= reopeningMillis) this.open()
      if (this.file !== undefined) writeSync(this.file, `${seq} ${idOf(id)} ${seq}\n`, 0, "latin1")
    } catch {
      // The next event is recorded instead.
    }
  }

  close(): void {
    const { file } = this
    this.file = undefined
    try {
      if (file !== undefined) closeSync(file)
    } catch {
      // What was recorded last may be missing.
    }
  }

  private open(): void {
    this.openedAt = machineClock.now()
    this.close()
    const isNew = !existsSync(this.path)
    const mode = this.database.mode & 0o666
    this.file = openRegularFile(this.path, constants.O_RDWR | constants.O_CREAT, mode)
    if (isNew) shareFile(this.path, this.database, mode)
  }
}

/** Unlike readFileSync, which looks at the file first, it closes the file whatever fails. */
const readText = (path: string): string => {
  const file = openRegularFile(path, constants.O_RDONLY)
  try {
    const bytes = Buffer.alloc(mostBytes)
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, mostBytes, 0))
  } finally {
    closeSync(file)
  }
}

/** What the head of a log shows: the event that it records, or why it shows none, and what to do; neither if there is no head. */
interface ReadHead {
  readonly latest?: LatestEvent
  readonly problem?: string
}

const forbidden: ReadonlySet<unknown> = new Set(["EACCES", "EPERM"])

export const readHead = (path: string): ReadHead => {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return {}
    const [, seq, id] = format.exec(readText(path)) ?? []
    return seq === undefined || id === undefined
      ? {
          problem: `${path} contains no event. The next change of the store writes to it; check the store with petstore verify.`
        }
      : { latest: { seq: Number(seq), id } }
  } catch (cause) {
    const error: Error & { readonly code?: unknown } = cause instanceof Error ? cause : new Error(String(cause))
    const advice = forbidden.has(error.code)
      ? `Give ${path} the owner of the database`
      : `Move ${path} away; the next change of the store creates it`
    return { problem: `${error.message}. ${advice}.` }
  }
}

const missing = (count: number): string =>
  count === 1 ? "1 event that was committed" : `${count} events that were committed`

/**
 * What the events of a database lack, by an event that was recorded before they are read; undefined if they go at least as far.
 * `connection` is undefined if the database does not exist.
 */
export const headProblem = (connection: Connection | undefined, { id, seq }: LatestEvent): string | undefined => {
  const select = (table: string, sql: string, ...values: ReadonlyArray<number>): unknown => {
    const name = connection?.named(table) ?? ""
    const exists = connection?.database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined
    if (connection === undefined || !exists) return undefined
    const statement = connection.database.prepare(connection.named(sql))
    // A damaged log may have numbers that are too large for a JavaScript number.
    statement.setReadBigInts(true)
    return statement.get(...values)?.value
  }
  const eventId = select("petstore_events", "SELECT id AS value FROM petstore_events WHERE seq = ?", seq)
  if (typeof eventId === "string") {
    return idOf(eventId) === id ? undefined : `its event ${seq} is ${idOf(eventId)}, and ${id} was committed`
  }
  const last = Number(select("petstore_events", "SELECT max(seq) AS value FROM petstore_events") ?? 0)
  const removed = Number(
    select("petstore_checkpoints", "SELECT seq AS value FROM petstore_checkpoints WHERE subject = 'log'") ?? 0
  )
  // Retention has removed it.
  if (removed >= seq) return undefined
  return last > seq
    ? `it lacks the event ${seq} (${id}), which was committed`
    : `it lacks ${missing(seq - Math.max(last, removed))}: its log ends with event ${Math.max(last, removed)}, and event ${seq} (${id}) was committed`
}

/** What to do about a problem that {@link headProblem} returns. */
export const headAdvice = (path: string): string =>
  `Stop every process that uses the database, and put its files back, the -wal included if there was one. To go on with the events that there are, for example because you have restored a backup, delete ${basename(path)}, which records the latest event, and open the database again.`
