import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { GroupBody } from "./GroupBody.ts"

/** A body to run as a transaction, and the services of its caller. */
export interface Task {
  readonly context: Context.Context<never>
  readonly body: Effect.Effect<unknown, unknown>
}

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

  constructor(task: Task, body: GroupBody) {
    this.task = task
    this.body = body
  }
}
