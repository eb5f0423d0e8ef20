import type { Transaction as CommandTransaction, FailureOf, Yielded } from "@petstore/core/engine"
import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Program } from "./Program.ts"

/** Makes a command with the services of its caller, which then runs from its start. */
export type BeginIn<Y extends Yielded, A> = (
  transaction: CommandTransaction,
  context: Context.Context<never>
) => Generator<Y, A, unknown>

/** An open transaction, as one of its bodies uses it. */
export interface OpenTransaction {
  /** Runs a program of statements. */
  run<A>(program: Program<A>): Effect.Effect<A, StorageError>
  /** Runs a command, which fails alone. */
  runCommand<Y extends Yielded, A>(
    context: Context.Context<never>,
    begin: BeginIn<Y, A>
  ): Effect.Effect<A, FailureOf<Y> | StorageError>
  /** Runs a body as a part of the transaction that fails alone. */
  runPart<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError>
}
