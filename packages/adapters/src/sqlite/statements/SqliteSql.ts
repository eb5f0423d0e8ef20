import { OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { OpenSnapshots } from "../../sql/OpenSnapshots.ts"
import type { OpenTransaction } from "../../sql/OpenTransaction.ts"
import { type AnyRequest, Asked, runProgram } from "../../sql/Program.ts"
import { insertionOf } from "../../sql/RowTarget.ts"
import type { Sql } from "../../sql/Sql.ts"
import { run } from "../../sql/Statement.ts"
import type { Snapshot } from "../connection/Snapshots.ts"
import { partsOf, rowCounts } from "./partsOf.ts"
import type { StatementRunner } from "./StatementRunner.ts"

/** What reads outside of transactions is asked for nothing but statements. */
const executed =
  (runner: StatementRunner) =>
  (request: AnyRequest): Effect.Effect<unknown, StorageError> =>
    request instanceof Asked
      ? runner.execute(request.statement, request.values)
      : Effect.die(new Error("Writing needs a transaction"))

/**
 * Runs each program of a store where its fiber is: in the open transaction, else in the snapshot, else by `reader` on what is
 * committed. A file has one writer, so a row that a transaction reads is locked.
 */
export class SqliteSql implements Sql {
  readonly transactions = new OpenTransactions<OpenTransaction>()
  readonly snapshots = new OpenSnapshots<Snapshot>()
  private readonly reader: StatementRunner

  constructor(reader: StatementRunner) {
    this.reader = reader
  }

  readonly read: Sql["read"] = (program) =>
    Effect.withFiber(({ context }) => {
      const transaction = this.transactions.find(context)
      if (transaction !== undefined) return transaction.run(program(true))
      return runProgram(program(false), executed(this.snapshots.find(context) ?? this.reader))
    })

  readonly inTransaction: Sql["inTransaction"] = (program) =>
    Effect.withFiber(({ context }) => this.transactions.require(context).run(program()))

  readonly insertAll: Sql["insertAll"] = (target) => {
    const statements = rowCounts.map((count) => ({ count, statement: run(insertionOf(target, count)) }))
    return (rows) =>
      Effect.forEach(
        partsOf(rows.length, statements),
        ({ count, start, statement }) =>
          this.inTransaction(() => new Asked(statement, rows.slice(start, start + count).flat())),
        { discard: true }
      )
  }
}
