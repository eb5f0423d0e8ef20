import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { OpenCommands } from "./OpenCommands.ts"
import type { Recording } from "./Recording.ts"
import { TransactionBody } from "./TransactionBody.ts"

const afterEnd = "The transaction has ended. Make the call in its body, and await it there."
const partIsOpen = "A part of the transaction is open. Make the call on the argument of that part, or after its end."
const notAwaited =
  "The transaction has ended before a call of it. Nothing was changed. Await every call in the body of its transaction."

/** Resumes after a body has ended that does not wait for the call which has just been made, although the store has answered at once. */
const afterItsBody = Effect.callback<void>((resume) => {
  queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => resume(Effect.void))))
})

/** A transaction, or a part of one that may fail alone, while its body runs. */
export class Part {
  private readonly recording: Recording
  private isOpen = true
  private hasPart = false
  private openCalls = 0

  constructor(recording: Recording) {
    this.recording = recording
  }

  /** Makes a call, which belongs to the transaction. */
  call<A, E, R>(method: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.whileOpen(TransactionBody.outside(Effect.provideService(method, OpenCommands, this.recording.run)))
  }

  /** Runs a part of it, of which nothing is kept if it fails. */
  part<A, E, R>(body: (part: Part) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.whileOpen(
      Effect.suspend(() => {
        const undo = this.recording.mark()
        const part = new Part(this.recording)
        this.hasPart = true
        return Effect.onExit(part.run(body(part)), (exit) =>
          Effect.sync(() => {
            this.hasPart = false
            if (Exit.isFailure(exit)) undo()
          })
        )
      })
    )
  }

  /** Runs its body, and ends it. Dies if a call has not ended by then: what it would write is not known. */
  run<A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(
      Effect.onExit(body, () =>
        Effect.sync(() => {
          this.isOpen = false
          if (this.openCalls > 0) this.recording.isSpoiled = true
        })
      ),
      (value) => (this.recording.isSpoiled ? Effect.die(new TypeError(notAwaited)) : Effect.succeed(value))
    )
  }

  private whileOpen<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      if (!this.isOpen) return Effect.die(new TypeError(afterEnd))
      if (this.hasPart) return Effect.die(new TypeError(partIsOpen))
      this.openCalls++
      return Effect.onExit(effect, () =>
        Effect.map(afterItsBody, () => {
          this.openCalls--
        })
      )
    })
  }
}
