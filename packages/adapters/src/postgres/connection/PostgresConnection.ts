import type { SqlValue } from "../../sql/SqlTransaction.ts"
import { type DriverClient, type DriverNotice, type DriverQuery, type DriverResult, type Row, types } from "./driver.ts"
import { isConnectionLoss, isReadOnly, NotSent } from "./errors.ts"
import { ResultTimeout } from "./ResultTimeout.ts"

/** A value for a placeholder; arrays are for statements that handle many rows. */
export type Parameter = SqlValue | boolean | ReadonlyArray<SqlValue | boolean>

/** What the server returned for a statement. */
export interface Result {
  readonly rows: ReadonlyArray<Row>
  /** How many rows it changed or returned. */
  readonly count: number
  /** The command that the server says it carried out, such as `COMMIT`, or `ROLLBACK` for a `COMMIT` that failed. */
  readonly command: string
}

/** Minimum time for a statement, in milliseconds. */
const shortestWaitMillis = 500

/** Gives each statement the name under which the server prepares it. */
export type StatementNames = (text: string) => string

/**
 * One connection to the server. Statements are sent at once, without waiting for the results of those before, and run in
 * the order in which they were sent.
 */
export class PostgresConnection {
  readonly client: DriverClient
  private readonly nameOf: StatementNames | undefined
  private patience: number | undefined
  private deadline = Number.POSITIVE_INFINITY
  private isBroken = false
  private last: Promise<unknown> = Promise.resolve()
  private isGathering = false
  private warning: string | undefined
  private resultAt = Number.NEGATIVE_INFINITY
  private readonly timeout = new ResultTimeout(() => {
    this.isBroken = true
    this.client.connection?.stream?.destroy?.()
  })

  /**
   * `nameOf`: gives statements names, so that the server parses them once. Some poolers do not carry names.
   * `patience`: milliseconds after which a statement without a result means that the connection is lost. Default: no limit.
   */
  constructor(client: DriverClient, nameOf: StatementNames | undefined, patience?: number) {
    this.client = client
    this.nameOf = nameOf
    this.patience = patience
    client.on("error", this.onError)
    client.on("end", this.onError)
    client.on("notice", this.onNotice)
  }

  /** Whether the connection is lost, or in a state in which it cannot be used again. */
  get broken(): boolean {
    return this.isBroken
  }

  /** When the last result arrived, as `performance.now()`. */
  get lastResult(): number {
    return this.resultAt
  }

  /** Marks the connection as unusable, so that it is closed and not used again. */
  break(): void {
    this.isBroken = true
  }

  /** Runs a statement with placeholders `$1`, and prepares it by name on first use. */
  query(text: string, values: ReadonlyArray<Parameter> = []): Promise<Result> {
    const name = this.nameOf === undefined ? {} : { name: this.nameOf(text) }
    return this.send({ ...name, text, values: [...values], types })
  }

  /** Runs a statement without values, or several, as text. */
  run(text: string): Promise<Result> {
    return this.send({ text })
  }

  /** Runs work whose statements may take as long as they need, such as a migration. */
  async patiently<A>(work: () => Promise<A>): Promise<A> {
    const { patience } = this
    this.patience = undefined
    try {
      return await work()
    } finally {
      this.patience = patience
    }
  }

  /**
   * From now on waits for results until a time of `performance.now()` at most; without one, as long as each statement may
   * take. The server may hang, or be out of reach without a word.
   */
  expire(deadline = Number.POSITIVE_INFINITY): void {
    this.deadline = deadline
  }

  /** Returns the last warning of the server since the last call, and forgets it. */
  takeWarning(): string | undefined {
    const { warning } = this
    this.warning = undefined
    return warning
  }

  /** Sends the statements of this turn by now, so that the server works on them while this process prepares more. */
  sendNow(): void {
    if (!this.isGathering) return
    this.isGathering = false
    this.client.connection?.stream?.uncork?.()
  }

  /** Stops listening, when the client goes back to the pool of the host application. */
  detach(): void {
    this.client.removeListener("error", this.onError)
    this.client.removeListener("end", this.onError)
    this.client.removeListener("notice", this.onNotice)
  }

  /** Milliseconds to wait for the next result. A statement that is sent has a minimum. */
  private get limit(): number | undefined {
    if (this.client.isInProcess === true) return undefined
    if (this.deadline === Number.POSITIVE_INFINITY) return this.patience
    const left = Math.max(shortestWaitMillis, Math.ceil(this.deadline - performance.now()))
    return Math.min(left, this.patience ?? left)
  }

  private async send(query: DriverQuery): Promise<Result> {
    if (this.isBroken) throw new NotSent()
    try {
      const result = await this.inTurn(query)
      return { rows: result.rows, count: result.rowCount ?? 0, command: result.command }
    } catch (cause) {
      if (isConnectionLoss(cause) || isReadOnly(cause)) this.isBroken = true
      throw cause
    }
  }

  /** A client of a host application takes one statement at a time, unless its pool has the option `pipeline`. */
  private inTurn(query: DriverQuery): Promise<DriverResult> {
    if (this.client.pipeline === true) {
      this.gather()
      return this.deliver(query)
    }
    const result = this.last.then(() => {
      if (this.isBroken) throw new NotSent()
      return this.deliver(query)
    })
    this.last = result.catch(() => {})
    return result
  }

  // Not the promise of `pg`: with it, what waits for the result survives until the next full garbage collection.
  private deliver(query: DriverQuery): Promise<DriverResult> {
    return new Promise((resolve, reject) => {
      const { limit } = this
      const arrived = limit === undefined ? undefined : this.timeout.begin(limit, reject)
      this.client.query(query, (error, result) => {
        arrived?.()
        this.resultAt = performance.now()
        if (result === undefined) reject(error)
        else resolve(result)
      })
    })
  }

  /** Sends the statements of one turn in one packet: each would wake the process of the server, and cost a call of the system. */
  private gather(): void {
    const stream = this.client.connection?.stream
    if (this.isGathering || stream?.cork === undefined) return
    this.isGathering = true
    stream.cork()
    process.nextTick(() => this.sendNow())
  }

  // Without a listener, a connection that breaks while it is idle would end the process.
  private readonly onError = (): void => {
    this.isBroken = true
  }

  /** The severity is a word in the language of the server. A wait for a standby that ends with its connection has a code of its own. */
  private readonly onNotice = ({ code = "", message = code }: DriverNotice): void => {
    if (code.startsWith(warningClass) || code === adminShutdown) this.warning = message
  }
}

/** What the SQLSTATEs of warnings begin with. Notices have others, such as that of a table which exists. */
const warningClass = "01"
const adminShutdown = "57P01"

/** The connection broke before a statement had a result. */
export class Lost {
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** Runs a statement that changes nothing, so that it may run again on another connection if this one is lost. */
export const readOn = async (
  connection: PostgresConnection,
  text: string,
  values: ReadonlyArray<Parameter>
): Promise<Result | Lost> => {
  try {
    return await connection.query(text, values)
  } catch (cause) {
    if (isConnectionLoss(cause)) return new Lost(cause)
    throw cause
  }
}
