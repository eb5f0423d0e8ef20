import { Admission, type StorageError, Transaction } from "@petstore/core/ports"
import { Cause, Context, Effect, Exit, Scheduler, Semaphore } from "effect"
import type { SqlValue } from "../sql/SqlTransaction.ts"
import type { BridgeSession } from "./BridgeSession.ts"
import { endedError, notOpen } from "./hostErrors.ts"
import { hasEnded, type Statement } from "./Session.ts"

/** A transaction that the host has open in a library of its own, as one body sees it. Statements may take time. */
export class BridgedTransaction {
  readonly store: object
  private readonly bridge: BridgeSession
  /** Statements and parts take turns: a savepoint takes back whatever came after it, and ends those within it. */
  private readonly turn = Semaphore.makeUnsafe(1)
  private ended = false

  constructor(bridge: BridgeSession, store: object) {
    this.bridge = bridge
    this.store = store
  }

  execute<A>(statement: Statement<A>, values: ReadonlyArray<SqlValue>): Effect.Effect<A, StorageError> {
    return this.inTurn(() => this.bridge.execute(statement, values))
  }

  /** Runs a body as a part of this transaction that fails alone, also where it is interrupted. */
  run<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    return this.inTurn(() => this.runPart(context, body))
  }

  private inTurn<A, E>(work: () => Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> {
    return this.turn.withPermits(1)(
      Effect.suspend((): Effect.Effect<A, E | StorageError> => (this.ended ? hasEnded() : work()))
    )
  }

  /** What still runs in it ends first; what waits is refused. */
  private readonly end = Effect.suspend(() => this.turn.withPermits(1)(Effect.sync(() => (this.ended = true))))

  private runPart<A, E, R>(
    context: Context.Context<Exclude<R, Transaction>>,
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | StorageError> {
    const { bridge } = this
    const part = new BridgedTransaction(bridge, this.store)
    // A library that answers at once is asked everything in one turn, so that nothing of the host comes in between.
    const eager = Context.add(context, Scheduler.PreventSchedulerYield, true)
    // What the body needs beside the transaction is in the context; the compiler cannot put the two together again.
    const services = Context.add(eager, Transaction, part) as Context.Context<R>
    const control = (sql: string, cause: unknown) => Effect.mapError(bridge.run(sql), () => endedError(cause))

    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* Effect.catch(bridge.run("SAVEPOINT petstore_part"), ({ cause }) =>
          Exit.die(new TypeError(notOpen, { cause }))
        )
        const admitted = Effect.sync(() => Context.get(context, Admission)())
        const exit = yield* Effect.exit(restore(Effect.andThen(admitted, Effect.provideContext(body, services))))
        yield* part.end
        const cause = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        if (Exit.isFailure(exit)) yield* control("ROLLBACK TO petstore_part", cause)
        yield* control("RELEASE petstore_part", cause)
        return yield* exit
      })
    )
  }
}
