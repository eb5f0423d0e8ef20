import type { StorageError } from "@petstore/core/ports"
import { Exit } from "effect"
import type { SqlValue } from "../sql/SqlTransaction.ts"
import type { Connection } from "./Connection.ts"
import type { HostDatabase, HostStatement } from "./HostDatabase.ts"

/** How a statement is run and its result read. */
export type Read<A> = (statement: HostStatement, values: ReadonlyArray<SqlValue>) => A

type Refusal = Exit.Exit<never, StorageError>

const hasEnded = (): Refusal =>
  Exit.die(new Error("A storage call came after the end of its transaction or snapshot. Make it inside the body."))

/** Where the statements of a fiber run, for as long as they may. */
export class Session<Database extends HostDatabase = HostDatabase> {
  readonly connection: Connection<Database>
  protected refuse: (() => Refusal) | undefined

  constructor(connection: Connection<Database>) {
    this.connection = connection
  }

  execute<A>(sql: string, values: ReadonlyArray<SqlValue>, read: Read<A>): Exit.Exit<A, StorageError> {
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
