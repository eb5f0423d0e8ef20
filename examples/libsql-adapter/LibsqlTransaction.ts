import type { Transaction as ClientTransaction } from "@libsql/client"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import type * as Ports from "@petstore/core/ports"
import { type Context, Effect, Exit } from "effect"
import { commitError, errorOf } from "./errors.ts"
import type { LibsqlDatabase } from "./LibsqlDatabase.ts"
import { execute } from "./LibsqlSql.ts"

type Outcome<A, E = Ports.StorageError> = Promise<Exit.Exit<A, E>>

// They read, so that a transaction without changes notifies nobody.
const statement = (sql: string) => new Sql.Asked(Sql.all(sql, () => undefined))
const begin = statement("SAVEPOINT part")
const rollback = statement("ROLLBACK TO part")
const release = statement("RELEASE part")

/** A transaction that is open on the client, as all of its bodies share it. */
export class LibsqlTransaction {
  private readonly transaction: ClientTransaction
  private readonly reserved: Sql.ReservedIds
  private lost: Ports.StorageError | undefined
  readonly open: Toolkit.OpenTransactions<TransactionBody>
  private wrote = false

  constructor({ reserved }: LibsqlDatabase, opened: ClientTransaction, open: LibsqlTransaction["open"]) {
    this.transaction = opened
    this.reserved = reserved
    this.open = open
  }

  /** Carries out a request of a program. */
  readonly answer = (request: Sql.AnyRequest): Outcome<unknown> =>
    request instanceof Sql.Asked
      ? this.execute(request)
      : Sql.runAsync(Sql.sqliteStatements(request, this.reserved), this.answer)

  /** A statement that fails ends all of the transaction, even if the body goes on. */
  private async execute<A>(asked: Sql.Asked<A>): Outcome<A> {
    if (this.lost !== undefined) return Exit.fail(this.lost)
    try {
      const result = await execute(this.transaction, asked)
      this.wrote ||= asked.statement.use === "write"
      return Exit.succeed(result)
    } catch (cause) {
      this.lost = errorOf(cause)
      return Exit.fail(this.lost)
    }
  }

  /** Keeps what a part did if it succeeds, and rolls it back otherwise. */
  async part<A, E>(body: () => Outcome<A, E>): Outcome<A, E | Ports.StorageError> {
    const { wrote } = this
    await this.execute(begin)
    const exit: Exit.Exit<A, E | Ports.StorageError> = this.lost === undefined ? await body() : Exit.fail(this.lost)
    if (Exit.isFailure(exit)) {
      await this.execute(rollback)
      this.wrote = wrote
    }
    await this.execute(release)
    return this.lost === undefined ? exit : Exit.fail(this.lost)
  }

  /** Runs the outermost body. Commits what it did if it succeeds, and rolls it back otherwise. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Ports.Transaction>>,
    body: Effect.Effect<A, E, R>,
    committed: () => void
  ): Effect.Effect<A, E | Ports.StorageError> {
    const end = async (): Outcome<A, E | Ports.StorageError> => {
      try {
        const exit = await new TransactionBody(this).start(context, body)
        if (this.lost !== undefined) return Exit.fail(this.lost)
        if (Exit.isFailure(exit)) return exit
        await this.transaction.commit()
        if (this.wrote) committed()
        return exit
      } catch (cause) {
        return Exit.fail(commitError(cause))
      } finally {
        this.transaction.close()
      }
    }
    return Effect.flatten(Effect.promise(end))
  }
}

/** A transaction as one of its bodies sees it. Its calls run one after another, those of nested parts among them. */
export class TransactionBody {
  private readonly shared: LibsqlTransaction
  private readonly calls = new Toolkit.StorageCalls()
  private last: Promise<void> = Promise.resolve()

  constructor(shared: LibsqlTransaction) {
    this.shared = shared
  }

  start<A, E, R>(
    context: Context.Context<Exclude<R, Ports.Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Promise<Exit.Exit<A, E>> {
    return Effect.runPromiseExit(this.shared.open.runBodyAsync(this, context, body, this.calls))
  }

  run<A>(program: Sql.Program<A>): Effect.Effect<A, Ports.StorageError> {
    return this.inTurn(() => Sql.runAsync(program, this.shared.answer))
  }

  /** Runs a body as a part that can fail alone. */
  nested<A, E, R>(
    context: Context.Context<Exclude<R, Ports.Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Ports.StorageError> {
    return this.inTurn(() => this.shared.part(() => new TransactionBody(this.shared).start(context, body)))
  }

  private inTurn<A, E>(work: () => Outcome<A, E>): Effect.Effect<A, E> {
    return this.calls.call((settle) => {
      this.last = this.last.then(work).then(settle, (defect) => settle(Exit.die(defect)))
    })
  }
}
