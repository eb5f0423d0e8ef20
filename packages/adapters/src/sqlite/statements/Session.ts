import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlValue } from "../../sql/SqlTransaction.ts"
import type { Connection } from "../connection/Connection.ts"
import type { BridgedCall } from "../host/BridgedCall.ts"
import type { HostDatabase, HostStatement } from "../host/HostDatabase.ts"

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** A statement of the store, and how its result is read. */
export interface Statement<A> {
  readonly sql: string
  /** Whether it changes rows, if it finds any to change. */
  readonly writes?: true
  /** Runs it on a connection. */
  readonly read: (statement: HostStatement, values: ReadonlyArray<SqlValue>) => A
  /** Does the same in a call whose transaction the host has open in a library. */
  readonly bridged: (call: BridgedCall, values: ReadonlyArray<SqlValue>) => Effect.Effect<A, StorageError>
}

type Refusal = Exit.Exit<never, StorageError>

/** What is answered to whoever lets a transaction or snapshot out of its body. */
export const hasEnded = (): Refusal =>
  Exit.die(new Error("A storage call came after the end of its transaction or snapshot. Make it inside the body."))

/** Where the statements of a fiber run, for as long as they may. */
export class Session<Database extends HostDatabase = HostDatabase> {
  readonly connection: Connection<Database>
  protected refuse: (() => Refusal) | undefined

  constructor(connection: Connection<Database>) {
    this.connection = connection
  }

  execute<A>({ read, sql }: Statement<A>, values: ReadonlyArray<SqlValue>): Exit.Exit<A, StorageError> {
    if (this.refuse !== undefined) return this.refuse()
    try {
      return Exit.succeed(read(this.connection.prepare(sql), values))
    } catch (cause) {
      return Exit.fail(this.failed(cause))
    }
  }

  /** The body is over; what it may have left running is refused. */
  end(): void {
    this.refuse = hasEnded
  }

  protected failed(cause: unknown): StorageError {
    return this.connection.explain(cause)
  }
}
