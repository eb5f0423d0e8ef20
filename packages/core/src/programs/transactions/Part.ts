import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Asker, ask, direct, ending, goOn } from "../../ports/Direct.ts"
import { OpenCommands } from "./OpenCommands.ts"
import type { Recording } from "./Recording.ts"
import { outsideBodies, TransactionBody } from "./TransactionBody.ts"

const afterEnd = "The transaction has ended. Make the call in its body, and await it there."
const partIsOpen = "A part of the transaction is open. Make the call on the argument of that part, or after its end."
const notAwaited =
  "The transaction has ended before a call of it. Nothing was changed. Await every call in the body of its transaction."

const nothing = (): void => {}
/** `queueMicrotask` makes an asynchronous resource of each step. */
const now = Promise.resolve()

/** Goes on after a body has ended that does not wait for the call which has just been made, although the store has answered at once. */
const afterItsBody = (next: () => void): void => void now.then(nothing).then(nothing).then(next)

/** A transaction, or a part of one that may fail alone, while its body runs. */
export class Part {
  private readonly recording: Recording
  private isOpen = true
  private hasPart = false
  private openCalls = 0
  private outside: Context.Context<never> | undefined
  private services: Context.Context<never> = Context.empty()

  constructor(recording: Recording) {
    this.recording = recording
  }

  /** Makes a call, which belongs to the transaction. */
  call<A, E, R>(method: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return direct((asker, done) => {
      const { refusal } = this
      if (refusal !== undefined) {
        done(Exit.die(new TypeError(refusal)))
        return () => {}
      }
      this.openCalls++
      // Who runs it has what it requires.
      const required = method as Effect.Effect<A, E>
      return outsideBodies(() =>
        ask(required, this.callerOf(asker), (exit) =>
          afterItsBody(() => {
            this.openCalls--
            done(exit)
          })
        )
      )
    })
  }

  /** Runs a part of it, of which nothing is kept if it fails. */
  part<A, E, R>(body: (part: Part) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const { refusal } = this
      if (refusal !== undefined) return Effect.die(new TypeError(refusal))
      const undo = this.recording.mark()
      const part = new Part(this.recording)
      this.hasPart = true
      this.openCalls++
      // As above.
      return Effect.onExit(part.run(body(part) as Effect.Effect<A, E>), (exit) => {
        this.hasPart = false
        if (Exit.isFailure(exit)) undo()
        return Effect.callback<void>((resume) =>
          afterItsBody(() => {
            this.openCalls--
            resume(Effect.void)
          })
        )
      })
    })
  }

  /** Runs its body, and ends it. Dies if a call has not ended by then: what it would write is not known. */
  run<A, E>(body: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const ended = ending(body, () => {
      this.isOpen = false
      if (this.openCalls > 0) this.recording.isSpoiled = true
    })
    return goOn(ended, (value) =>
      this.recording.isSpoiled ? Exit.die(new TypeError(notAwaited)) : Exit.succeed(value)
    )
  }

  /** Why it takes no call now; undefined if it does. */
  private get refusal(): string | undefined {
    if (!this.isOpen) return afterEnd
    return this.hasPart ? partIsOpen : undefined
  }

  /** Who makes a call, with what belongs to the transaction. All callers of a body have the same services. */
  private callerOf(asker: Asker): Asker {
    const { isPlain = false, principal, services } = asker
    if (services !== this.outside) {
      this.outside = services
      this.services = Context.add(TransactionBody.outside(services), OpenCommands, this.recording.run)
    }
    return { principal, services: this.services, isPlain, readsOften: true, onStart: () => asker.onStart() }
  }
}
