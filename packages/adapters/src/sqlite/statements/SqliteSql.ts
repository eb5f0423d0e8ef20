import { asking, type StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { OpenSnapshots } from "../../sql/OpenSnapshots.ts"
import { type AnyRequest, Asked, type Program, runProgram } from "../../sql/Program.ts"
import type { Sql } from "../../sql/Sql.ts"
import type { Snapshot } from "../connection/Snapshots.ts"
import type { StatementRunner } from "./StatementRunner.ts"

/** What reads outside of transactions is asked for nothing but statements. */
const executed =
  (runner: StatementRunner) =>
  (request: AnyRequest): Effect.Effect<unknown, StorageError> =>
    request instanceof Asked
      ? runner.execute(request.statement, request.values)
      : Effect.die(new Error("Writing needs a transaction"))

/** Nearly all reads are one statement. */
const runOn = <A>(runner: StatementRunner, program: Program<A>): Effect.Effect<A, StorageError> =>
  program instanceof Asked ? runner.execute(program.statement, program.values) : runProgram(program, executed(runner))

/** Runs each read of a store where its fiber is: in the snapshot, else by `reader` on what is committed. */
export class SqliteSql implements Sql {
  readonly snapshots = new OpenSnapshots<Snapshot>()
  private readonly reader: StatementRunner

  constructor(reader: StatementRunner) {
    this.reader = reader
  }

  readonly read: Sql["read"] = (program) =>
    asking(({ services }) => runOn(this.snapshots.find(services) ?? this.reader, program()))
}
