import type { Transaction as ClientTransaction } from "@libsql/client"
import * as Sql from "@petstore/adapters/sql"
import type * as Ports from "@petstore/core/ports"
import { Exit } from "effect"
import { errorOf } from "./errors.ts"
import type { LibsqlDatabase } from "./LibsqlDatabase.ts"
import { execute } from "./LibsqlSql.ts"

type Outcome<A, E = Ports.StorageError> = Promise<Exit.Exit<A, E>>

/** A transaction that is open on the client, for one program. */
export class LibsqlTransaction {
  private readonly transaction: ClientTransaction
  private readonly reserved: Sql.ReservedIds
  private wrote = false

  constructor({ reserved }: LibsqlDatabase, opened: ClientTransaction) {
    this.transaction = opened
    this.reserved = new Map(reserved)
  }

  /** Runs a program. Commits what it did if it succeeds, and rolls it back otherwise. */
  async run<A, E>(program: Sql.Program<A, E>, committed: () => void): Outcome<A, E | Ports.StorageError> {
    try {
      const exit = await this.ask(program).catch((defect: unknown) => Exit.die(defect))
      if (Exit.isFailure(exit)) return exit
      await this.transaction.commit()
      if (this.wrote) committed()
      return exit
    } catch (cause) {
      return Exit.fail(Sql.sqliteCommitError(cause))
    } finally {
      this.transaction.close()
    }
  }

  /** Runs a program as a part of the transaction. */
  readonly ask = <A, E>(program: Sql.Program<A, E>): Outcome<A, E | Ports.StorageError> =>
    Sql.runAsync(program, this.answer)

  /** Carries out a request of the program. */
  private readonly answer = (request: Sql.AnyRequest): Outcome<unknown> =>
    request instanceof Sql.Asked
      ? this.execute(request)
      : Sql.runAsync(Sql.sqliteStatements(request, this.reserved), this.answer)

  private async execute<A>(asked: Sql.Asked<A>): Outcome<A> {
    try {
      const result = await execute(this.transaction, asked)
      this.wrote ||= asked.statement.use === "write"
      return Exit.succeed(result)
    } catch (cause) {
      return Exit.fail(errorOf(cause))
    }
  }
}
