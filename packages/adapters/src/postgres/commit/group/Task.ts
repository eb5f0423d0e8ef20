import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { FirstLock, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { PostgresTransaction } from "../../statements/Statement.ts"
import type { GroupBody } from "./GroupBody.ts"

/** A body to run as a transaction, for its caller. */
export interface Task {
  /** The services of the caller. */
  readonly context: Context.Context<never>
  /** The row that the body locks first, if that is known. */
  readonly first: FirstLock | undefined
  /** Starts the body as this run of it. Calls `onEnd` once, at once or later. */
  readonly start: (
    transactions: OpenTransactions<PostgresTransaction>,
    run: GroupBody,
    onEnd: (exit: Exit.Exit<unknown, unknown>) => void
  ) => void
}

export const taskOf = <A, E, R>(
  context: Context.Context<Exclude<R, Transaction>>,
  body: Effect.Effect<A, E, R>,
  first?: FirstLock
): Task => ({
  context,
  first,
  start: (transactions, run, onEnd) => transactions.startBody(run, context, body, run.calls, onEnd)
})

/** What becomes of a task: its result; or nothing of it is stored and it has to run again, in a group or alone. */
export type Verdict =
  | { readonly type: "result"; readonly exit: Exit.Exit<unknown, unknown> }
  | { readonly type: "again" }
  | { readonly type: "alone"; readonly isIrregular: boolean }

/** A task in a group, with its present run: it may start again. */
export class TaskRun {
  readonly task: Task
  body: GroupBody
  restarts = 0
  /** How the present run ended; undefined until then. */
  exit: Exit.Exit<unknown, unknown> | undefined
  /** Whether the group has taken over what its body added. */
  isCollected = false

  constructor(task: Task, body: GroupBody) {
    this.task = task
    this.body = body
  }
}
