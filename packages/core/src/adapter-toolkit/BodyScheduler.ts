import * as Scheduler from "effect/Scheduler"

const dispatchers = new Scheduler.MixedScheduler()

/**
 * Keeps the forked fibers and the yields of one body apart from those of other bodies, so that a body inside another never
 * runs steps of the outer one. A body yields only if it does so explicitly.
 */
export class BodyScheduler implements Scheduler.Scheduler {
  readonly executionMode = "sync"
  private dispatcher: Scheduler.SchedulerDispatcher | undefined

  shouldYield(): boolean {
    return false
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    this.dispatcher ??= dispatchers.makeDispatcher()
    return this.dispatcher
  }

  /** Runs all waiting steps, until there are none. */
  drain(): void {
    this.dispatcher?.flush()
  }
}

/** The defect of a body that waits for anything else than its store. */
export const waitedElsewhere = (): Error =>
  new Error(
    "The body of a transaction waited for something other than its store. Do that before or after the transaction."
  )
