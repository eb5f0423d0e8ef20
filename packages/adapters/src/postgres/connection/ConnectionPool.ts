import { ShuttingDown, StorageBusy } from "@petstore/core/domain"
import type { ConnectionSource } from "./ConnectionSource.ts"
import { hasNoConnectionLeft } from "./errors.ts"
import { Lost, type Parameter, type PostgresConnection, type Result, readOn } from "./PostgresConnection.ts"

// The timers stay real where a test replaces the global ones: the server does not know of them.
const { clearTimeout, setTimeout } = globalThis

/** Milliseconds after which an idle connection is closed. */
const idleTimeoutMillis = 30_000

/** Milliseconds after which a server that had no connection left is asked again. */
const nextAttemptMillis = 100

/** Milliseconds after that for which no readers are opened: single reads take turns with transactions. */
const shortageMillis = 1_000

const allInUse = (count: number): string =>
  `All ${count} connections of the petstore are in use. Nothing was changed; try again, or allow more of them.`

/** A caller that waits for a connection. Either function ends its wait. */
interface Waiting {
  readonly resolve: (connection: PostgresConnection) => void
  readonly reject: (cause: unknown) => void
}

/** A connection that single reads share. */
interface Reader {
  readonly connection: Promise<PostgresConnection>
  isBroken: () => boolean
  reads: number
  /** Whether it is closed after its last read. */
  isRetired: boolean
}

/** How many lost connections a read puts up with. */
const maxLosses = 4

/**
 * The connections of a store to its database, opened on demand. Transactions and snapshots have one to themselves; single
 * reads share a few, on which they follow one another without waiting.
 */
export class ConnectionPool {
  private readonly source: ConnectionSource
  private readonly readTimeout: number
  private readonly size: number
  private readonly readerCount: number
  private readonly timeout: number
  private readonly idle: Array<{ readonly connection: PostgresConnection; readonly since: number }> = []
  private waiting: Array<Waiting> = []
  private readers: Array<Reader> = []
  /** Connections that are not readers. */
  private exclusive = 0
  private open = 0
  private closed = false
  private shortUntil = Number.NEGATIVE_INFINITY
  private sweep: ReturnType<typeof setTimeout> | undefined
  private reconnectTimer: ReturnType<typeof setTimeout> | undefined
  private onEmpty = (): void => {}

  /** `size`: the most connections. `timeout`: milliseconds to wait for one that is free; `readTimeout`: for a single read. */
  constructor(source: ConnectionSource, size: number, timeout: number, readTimeout = Number.POSITIVE_INFINITY) {
    this.readTimeout = readTimeout
    this.source = source
    this.readerCount = source.keepsIdle && size >= 4 ? Math.ceil(size / 4) : 0
    this.size = size - this.readerCount
    this.timeout = Math.min(timeout, readTimeout)
  }

  get address(): string {
    return this.source.address
  }

  /** How many users wait for a connection of their own. */
  get waitingCount(): number {
    return this.waiting.length
  }

  /** What each transaction begins with. */
  get begin(): string {
    return `BEGIN ISOLATION LEVEL READ COMMITTED${this.settings}`
  }

  /** What follows BEGIN, because connections may have served others since. */
  get settings(): string {
    return this.source.settings
  }

  /** Takes a connection for one user, who waits until a time of `performance.now()` at most. Give it back. */
  async take(deadline = Number.POSITIVE_INFINITY): Promise<PostgresConnection> {
    if (this.closed) throw new ShuttingDown({})
    const until = Math.min(deadline, performance.now() + this.timeout)
    const free = this.pop()
    if (free !== undefined) return free
    if (this.exclusive >= this.size) return this.wait(until)
    try {
      return await this.connect(until)
    } catch (cause) {
      if (hasNoConnectionLeft(cause)) {
        // Somebody may have given one back meanwhile, and the server has no other until it is used or closed.
        const given = this.pop()
        if (given !== undefined) return given
        this.retireReaders()
        this.connectSoon()
        return this.wait(until, cause)
      }
      this.connectNext()
      throw cause
    }
  }

  /** Gives a connection back, outside of a transaction. */
  give(connection: PostgresConnection): void {
    connection.expire()
    if (connection.broken || this.closed || (!this.source.keepsIdle && this.waiting.length === 0)) {
      this.discard(connection)
      this.connectNext()
    } else if (this.waiting[0] !== undefined) {
      this.waiting[0].resolve(connection)
    } else {
      this.source.hold(connection, false)
      this.idle.push({ connection, since: performance.now() })
      this.schedule()
    }
  }

  /** Runs work on a connection of its own. */
  async use<A>(work: (connection: PostgresConnection) => Promise<A>): Promise<A> {
    const connection = await this.take()
    try {
      return await work(connection)
    } finally {
      this.give(connection)
    }
  }

  /** Runs one statement that reads committed state; again on another connection if one is lost. */
  async read(text: string, values: ReadonlyArray<Parameter>): Promise<Result> {
    const since = performance.now()
    for (let losses = 0; ; losses++) {
      if (this.closed) throw new ShuttingDown({})
      const result = await this.readWhenThereIsRoom(since, text, values)
      if (!(result instanceof Lost)) return result
      // Connections are lost together when the server stops, and are found one by one.
      if (losses === maxLosses || performance.now() - since > this.timeout) throw result.cause
    }
  }

  private async readWhenThereIsRoom(
    since: number,
    text: string,
    values: ReadonlyArray<Parameter>
  ): Promise<Result | Lost> {
    for (;;) {
      try {
        return await (this.mayUseReader
          ? this.readOnReader(text, values)
          : this.use((connection) => this.readOn(connection, text, values)))
      } catch (cause) {
        if (this.closed || !hasNoConnectionLeft(cause) || performance.now() - since > this.timeout) throw cause
        if (this.mayUseReader) {
          // The next attempt takes its turn: the connections that there are may all be for transactions.
          this.shortUntil = performance.now() + shortageMillis
          continue
        }
        await new Promise((resolve) => setTimeout(resolve, nextAttemptMillis))
      }
    }
  }

  private get isShort(): boolean {
    return performance.now() < this.shortUntil
  }

  private get mayUseReader(): boolean {
    return this.readerCount > 0 && (this.readers.length > 0 || !this.isShort)
  }

  private readOn(
    connection: PostgresConnection,
    text: string,
    values: ReadonlyArray<Parameter>
  ): Promise<Result | Lost> {
    connection.expire(performance.now() + this.readTimeout)
    return readOn(connection, text, values)
  }

  private async readOnReader(text: string, values: ReadonlyArray<Parameter>): Promise<Result | Lost> {
    const reader = this.reader()
    if (reader.reads++ === 0)
      reader.connection.then(
        (connection) => this.source.hold(connection, true),
        () => {}
      )
    try {
      const connection = await reader.connection
      if (connection.broken) {
        this.dismiss(reader)
        return await this.read(text, values)
      }
      try {
        return await this.readOn(connection, text, values)
      } finally {
        if (connection.broken) this.dismiss(reader)
        else if (reader.reads === 1) this.source.hold(connection, false)
      }
    } catch (cause) {
      reader.connection.catch(() => this.dismiss(reader))
      throw cause
    } finally {
      reader.reads--
      if (reader.isRetired && reader.reads === 0) this.closeReader(reader)
    }
  }

  /** Fails who waits, and completes when all connections are closed. */
  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.sweep)
    clearTimeout(this.reconnectTimer)
    for (const { reject } of this.waiting) reject(new ShuttingDown({}))
    for (const { connection } of this.idle.splice(0)) this.discard(connection)
    for (const reader of [...this.readers]) this.dismiss(reader)
    if (this.open > 0) await new Promise<void>((resolve) => (this.onEmpty = resolve))
  }

  private pop(): PostgresConnection | undefined {
    for (let free = this.idle.pop(); free !== undefined; free = this.idle.pop()) {
      if (!free.connection.broken) {
        this.source.hold(free.connection, true)
        return free.connection
      }
      this.discard(free.connection)
    }
  }

  private async connect(until = performance.now() + this.timeout): Promise<PostgresConnection> {
    this.open++
    this.exclusive++
    try {
      return await this.source.connect(until)
    } catch (cause) {
      this.exclusive--
      this.left()
      throw cause
    }
  }

  /** Opens a connection for the first of those who wait, when one less is open. */
  private connectNext(): void {
    if (this.waiting.length === 0 || this.exclusive >= this.size) return
    this.connect().then(
      (connection) => this.give(connection),
      (cause) => {
        if (hasNoConnectionLeft(cause)) return this.connectSoon()
        this.waiting[0]?.reject(cause)
        this.connectNext()
      }
    )
  }

  /** Tries again to open a connection, on a server that has none left now. */
  private connectSoon(): void {
    if (this.reconnectTimer !== undefined) return
    this.reconnectTimer = setTimeout(() => {
      this.reconnectTimer = undefined
      this.connectNext()
    }, nextAttemptMillis)
    this.reconnectTimer.unref()
  }

  /** `cause`: why there is none. Default: all are in use. */
  private wait(until: number, cause?: unknown): Promise<PostgresConnection> {
    if (this.closed) throw new ShuttingDown({})
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        this.waiting = this.waiting.filter((other) => other !== waiting)
      }
      const waiting: Waiting = {
        resolve: (connection) => {
          end()
          resolve(connection)
        },
        reject: (cause) => {
          end()
          reject(cause)
        }
      }
      const busy = (): StorageBusy => {
        if (cause instanceof StorageBusy) return cause
        if (cause !== undefined) return new StorageBusy({}, { cause })
        const inUse = new Error(`All ${this.size} connections to ${this.address} are in use`)
        return new StorageBusy({}, { message: allInUse(this.size), cause: inUse })
      }
      const timer = setTimeout(() => waiting.reject(busy()), Math.max(0, until - performance.now()))
      this.waiting.push(waiting)
    })
  }

  /** The reader with the fewest reads, or a new one while all are busy. */
  private reader(): Reader {
    for (const reader of this.readers) if (reader.isBroken()) this.dismiss(reader)
    const [least] = this.readers.toSorted((one, other) => one.reads - other.reads)
    const isFull = this.readers.length === this.readerCount || this.isShort
    if (least !== undefined && (least.reads === 0 || isFull)) return least
    this.open++
    const connection = this.source.connect().catch((cause: unknown) => {
      this.left()
      throw cause
    })
    const reader: Reader = { connection, reads: 0, isBroken: () => false, isRetired: false }
    connection.then(
      (opened) => {
        reader.isBroken = () => opened.broken
      },
      () => {}
    )
    this.readers.push(reader)
    return reader
  }

  private dismiss(reader: Reader): void {
    if (!this.readers.includes(reader)) return
    this.readers = this.readers.filter((one) => one !== reader)
    this.closeReader(reader)
  }

  private closeReader(reader: Reader): void {
    reader.connection.then(
      (connection) => this.disconnect(connection),
      () => {}
    )
  }

  /** Leaves the connections of readers to transactions, after the reads that are under way. */
  private retireReaders(): void {
    this.shortUntil = performance.now() + shortageMillis
    for (const reader of [...this.readers]) {
      if (reader.reads === 0) {
        this.dismiss(reader)
      } else {
        reader.isRetired = true
        this.readers = this.readers.filter((one) => one !== reader)
      }
    }
  }

  private discard(connection: PostgresConnection): void {
    this.exclusive--
    this.disconnect(connection)
  }

  private disconnect(connection: PostgresConnection): void {
    // Else a process that does nothing but close the store would end before it has done so.
    this.source.hold(connection, true)
    this.source.disconnect(connection).then(
      () => this.left(),
      () => this.left()
    )
    // Only now: a pool of the host application closes a connection that is broken, and keeps others.
    connection.break()
  }

  private left(): void {
    this.open--
    if (this.open === 0) this.onEmpty()
  }

  private schedule(): void {
    if (this.sweep !== undefined) return
    this.sweep = setTimeout(() => {
      this.sweep = undefined
      const old = this.idle.findIndex(({ since }) => performance.now() - since < idleTimeoutMillis)
      for (const { connection } of this.idle.splice(0, old < 0 ? this.idle.length : old)) this.discard(connection)
      if (this.idle.length > 0) this.schedule()
    }, idleTimeoutMillis)
    this.sweep.unref()
  }
}
