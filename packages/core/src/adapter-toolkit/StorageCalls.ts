import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

const inPlace = (step: () => void): void => step()

/**
 * The storage calls of one body that are open, for adapters whose storage calls are asynchronous: a body may wait for them
 * and for nothing else. Keep one of these where an operation finds it by its transaction, such as in the `T` of
 * {@link OpenTransactions}; make every call of the body by {@link StorageCalls.call}, and run the body by
 * {@link runBodyAsync}.
 */
export class StorageCalls {
  private count = 0
  private inTurn: (step: () => void) => void = inPlace

  /** How many calls have begun and not settled. */
  get open(): number {
    return this.count
  }

  /**
   * Makes a storage call. `begin` starts it and calls `settle` once with the outcome, at once or later; what it throws is a
   * defect of the call. An interruption of the body waits for the outcome.
   */
  readonly call = <A, E>(begin: (settle: (outcome: Exit.Exit<A, E>) => void) => void): Effect.Effect<A, E> =>
    Effect.uninterruptible(
      Effect.callback<A, E>((resume) => {
        let isOpen = true
        this.count++
        const settle = (outcome: Exit.Exit<A, E>): void => {
          if (!isOpen) return
          isOpen = false
          this.count--
          this.inTurn(() => resume(outcome))
        }
        try {
          begin(settle)
        } catch (defect) {
          settle(Exit.die(defect))
        }
      })
    )

  /** Says how to resume the body when a call settled; undefined when the body has ended. For {@link runBodyAsync}. */
  resumeBy(inTurn: ((step: () => void) => void) | undefined): void {
    this.inTurn = inTurn ?? inPlace
  }
}
