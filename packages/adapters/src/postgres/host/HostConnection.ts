import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import { inSchema } from "../statements/dialect.ts"
import type { CallQueue } from "./CallQueue.ts"
import { isLost } from "./hostErrors.ts"
import type { StepStatement } from "./StepStatement.ts"

/** A client that emits `error` when it loses its connection, such as one of `pg`. */
interface ErrorEmitter {
  on(event: "error", listener: () => void): unknown
  removeListener(event: "error", listener: () => void): unknown
}

const isErrorEmitter = (value: object): value is ErrorEmitter =>
  "on" in value &&
  typeof value.on === "function" &&
  "removeListener" in value &&
  typeof value.removeListener === "function"

/** How many calls run on a client. */
const calls = new WeakMap<object, number>()

const ignore = (): void => {}

/**
 * Listens to errors of the client of the host application while a call runs on it, until the returned function is called: an
 * `error` without a listener would end the process. Calls on the same client share one listener.
 */
const listenToErrors = (client: object): (() => void) => {
  if (!isErrorEmitter(client)) return () => {}
  const change = (by: 1 | -1): number => {
    const count = (calls.get(client) ?? 0) + by
    calls.set(client, count)
    return count
  }
  if (change(1) === 1) client.on("error", ignore)
  return () => {
    if (change(-1) === 0) client.removeListener("error", ignore)
  }
}

/** One step of a call: what `petstore_host_call` does in one statement. */
export interface Step {
  /** Inserts the marker row, so that COMMIT fails until it is deleted. */
  readonly mark?: true
  readonly statements?: ReadonlyArray<StepStatement>
  /** Deletes the marker row. */
  readonly unmark?: true
  /** Ends the call. */
  readonly last?: true
  /** Milliseconds to wait for locks. */
  readonly lockTimeout: number
}

/** Where the step belongs: to the first of a call, or behind the one before. */
export interface Place {
  readonly token: string
  readonly step: number
  /** The state after the step before. */
  readonly after?: string
  /** Whether the marker row may exist. */
  readonly marked?: true
  /** The transaction in which the call has to begin. */
  readonly transaction?: string
  /** The database in which the call has to begin. */
  readonly database?: string
}

/** What `petstore_host_call` returns. */
export type StepResult =
  | { readonly state: string; readonly results: ReadonlyArray<unknown> }
  /** The transaction is not as it was after the step before. `withdrawn`: the call was still running in it, and was ended. */
  | { readonly ended: true; readonly withdrawn?: boolean }
  /** Another call runs in this transaction. */
  | { readonly occupied: string }
  | { readonly database: string }
  | { readonly isolation: string }
  /** A statement failed, and everything of the step was rolled back. The transaction goes on. */
  | { readonly failed: { readonly code: string; readonly message: string } }

/** A library has not returned a result in time. It is unknown whether the statement has run, or will run yet. */
export class StatementTimedOut extends Error {}

/** Runs the steps of one call on the connection of the host application. */
export class HostConnection {
  private readonly transaction: SqlTransaction
  private readonly queue: CallQueue
  private readonly statement: string
  private readonly timeout: number
  private readonly pending = new Set<Promise<unknown>>()
  private readonly stopListening: () => void
  private isLost = false

  /** `timeout`: milliseconds to wait for the result of a statement. */
  constructor(transaction: SqlTransaction, queue: CallQueue, schema: string, timeout: number) {
    this.transaction = transaction
    this.queue = queue
    // One column of text, which no setting of the host application for its driver changes.
    this.statement = inSchema(schema, "SELECT petstore_host_call($1::text::jsonb)::text AS result")
    this.timeout = timeout
    this.stopListening = listenToErrors(transaction.identity)
  }

  /** Sends a step. Rejects with what the library throws, or {@link StatementTimedOut}. */
  async send(step: Step & Place): Promise<StepResult> {
    const sent = this.queue.send(async (transaction) => {
      const isFirst = step.after === undefined && step.transaction === undefined
      const given = isFirst && transaction !== undefined ? { ...step, transaction } : step
      const [row] = await this.transaction.rows(this.statement, [JSON.stringify(given)])
      const [text] = Object.values(Object(row))
      if (typeof text !== "string") throw new TypeError("The library returned no rows that the petstore can read")
      const result: StepResult = JSON.parse(text)
      // Before the queue sends the next statement, which may have to begin in this transaction.
      if ("state" in result) this.queue.ran(result.state.split("/")[0] ?? "")
      return result
    })
    return this.wait(sent)
  }

  /** Whether the library still runs a statement. */
  get isPending(): boolean {
    return this.pending.size > 0
  }

  /** Runs a task once the library has settled all of its statements. */
  whenSettled(task: () => Promise<unknown>): void {
    void Promise.allSettled([...this.pending])
      .then(task)
      .catch(() => {})
  }

  /** Ends the use of the connection, once the library has settled all statements. */
  end(): void {
    if (this.isPending) this.whenSettled(async () => this.end())
    // The client reports a lost connection to its statements first, and emits `error` later.
    else if (!this.isLost) this.stopListening()
  }

  private wait<A>(result: Promise<A>): Promise<A> {
    this.pending.add(result)
    const settled = (): void => {
      this.pending.delete(result)
    }
    result.then(settled, (cause: unknown) => {
      settled()
      if (isLost(cause)) this.isLost = true
    })
    return new Promise((resolve, reject) => {
      // If the process itself was busy for so long, a result that has arrived comes first.
      const timer = setTimeout(() => setImmediate(() => reject(new StatementTimedOut())), this.timeout)
      result.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}
