import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type PrincipalInfo, theStore } from "../domain/access/Principal.ts"
import type { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { Again, Ended, type Failed, fail, type Waiting } from "../kernel/Command.ts"
import { type Asker, asking, goOn, isTraced, orElse } from "../ports/Direct.ts"
import { type CommandName, type RunCommand, Storage } from "../ports/Storage.ts"
import { type Acting, Call, type Reading } from "../programs/Call.ts"
import { Commands } from "../programs/Commands.ts"
import type { Done } from "../programs/Options.ts"
import type { Overdue } from "../programs/orders/freed.ts"
import { expireThese } from "../programs/orders/reservationCommands.ts"
import { readBy } from "../programs/readBy.ts"
import { traced } from "../programs/tracing.ts"
import { joinedReads } from "../programs/transactions/joinedReads.ts"
import { OpenCommands } from "../programs/transactions/OpenCommands.ts"
import type { ArgumentsOf, FailureOfUseCase, Outcome, UseCase } from "../programs/UseCase.ts"
import { DeliveryWakes } from "../programs/webhooks/DeliveryWakes.ts"

type Inputs = ReadonlyArray<unknown>
type Step = Failed<PetstoreError> | Waiting<unknown>
// The table of use cases has checked how each can fail.
type Running = Generator<Step, unknown, unknown>
type Query = (reading: Reading, ...inputs: Inputs) => Running
type Change = (call: Call, ...inputs: Inputs) => Running
type Action = (acting: Acting, ...inputs: Inputs) => Effect.Effect<unknown, PetstoreError>
type Returned = Effect.Effect<unknown, PetstoreError>

/** Runs the program of a command to its end, or to the result that it has had with its idempotency key. */
class Run implements Generator<Step, unknown, unknown> {
  private readonly useCase: UseCase
  private readonly call: Call
  private readonly program: Running
  private readonly onAgain: (first: Overdue) => void

  constructor(useCase: UseCase, call: Call, inputs: Inputs, onAgain: (first: Overdue) => void) {
    this.useCase = useCase
    this.call = call
    this.program = (useCase.program as Change)(call, ...inputs)
    this.onAgain = onAgain
  }

  next(answer?: unknown): IteratorResult<Step, unknown> {
    const step = this.program.next(answer)
    if (step.done === true) {
      this.call.keep?.(step.value)
      return this.end(step.value, false)
    }
    const { value } = step
    if (value instanceof Ended) return this.end(value.value, true)
    if (value instanceof Again) {
      this.onAgain(value.first)
      return { done: false, value: fail(value.error) }
    }
    return step
  }

  return(value: unknown) {
    return { done: true, value } as const
  }

  throw(thrown: unknown): never {
    throw thrown
  }

  [Symbol.iterator](): this {
    return this
  }

  [Symbol.dispose](): void {}

  private end(returned: unknown, replayed: boolean): IteratorReturnResult<unknown> {
    const { isDeletion, isRepeatable } = this.useCase
    if (!isRepeatable) return { done: true, value: returned }
    const value: Done<unknown> = { value: isDeletion ? undefined : returned, replayed }
    return { done: true, value }
  }
}

/**
 * Runs use cases: each in a span of its name, for who asks, on the store or in the transaction that is open. Queries read, and commands
 * run as a transaction: again behind the expiry of orders that hold what one is short of. That is a transaction of its own, because orders
 * are locked before their pets.
 */
export class UseCaseRunner extends Context.Service<
  UseCaseRunner,
  {
    readonly call: <Name extends CommandName, P extends (at: never, ...inputs: never) => unknown>(
      useCase: UseCase<Name, P>,
      ...inputs: ArgumentsOf<P>
    ) => Effect.Effect<Outcome<Name, P>, FailureOfUseCase<Name>>
    /** The same with inputs that have no types. */
    readonly perform: (useCase: UseCase, inputs: Inputs) => Returned
    /** The same, begun at once for who waits for it. */
    readonly performFor: (asker: Asker, useCase: UseCase, inputs: Inputs) => Returned
    /** Runs a command as a part of a transaction that is open. */
    readonly runIn: (runCommand: RunCommand, useCase: UseCase, inputs: Inputs) => Returned
  }
>()("@petstore/core/runtime/UseCaseRunner") {
  static readonly layer = Layer.effect(
    UseCaseRunner,
    Effect.gen(function* () {
      const store = yield* Storage
      const wakes = yield* DeliveryWakes
      const { shared } = yield* Commands
      const read = readBy(store)

      const submit = (runCommand: RunCommand, useCase: UseCase, inputs: Inputs, principal: PrincipalInfo): Returned => {
        let overdue: Overdue | undefined
        const ran = runCommand((tx, services): Running => {
          overdue = undefined
          return new Run(useCase, new Call(tx, principal, services, shared), inputs, (orders) => {
            overdue = orders
          })
        }, useCase.name)
        return orElse(
          ran,
          (_): _ is PetstoreError => overdue !== undefined,
          () => {
            const { ids, now } = overdue as Overdue
            // An expiry is work of the store, whichever call waits for it.
            const expiry = runCommand(
              (tx, services) => expireThese(new Call(tx, theStore, services, shared), ids, now),
              "orders.expire"
            )
            return goOn(expiry, () => submit(runCommand, useCase, inputs, principal))
          }
        )
      }

      const perform = (useCase: UseCase, inputs: Inputs, asker: Asker): Returned => {
        const { principal, services } = asker
        const { kind, name, program } = useCase
        const open = services.mapUnsafe.has(OpenCommands.key) ? Context.get(services, OpenCommands) : undefined
        if (kind === "command") return submit(open ?? store.run, useCase, inputs, principal)
        const ask = (query: Query, given: Inputs): Effect.Effect<unknown, PetstoreError> =>
          open === undefined
            ? read((rows) => query({ rows, principal, shared }, ...given), asker)
            : open((tx) => query({ rows: joinedReads(tx), principal, shared }, ...given))
        if (kind === "query") return ask(program as Query, inputs)
        const runCommand = open ?? store.run
        const acting = {
          read: (query: Query) => ask(query, []),
          submit: (command: Change) =>
            runCommand((tx, context) => command(new Call(tx, principal, context, shared)), name),
          isInTransaction: open !== undefined,
          shared,
          wakes
        }
        return (program as Action)(acting as unknown as Acting, ...inputs)
      }

      return {
        call: (useCase, ...inputs) =>
          traced(useCase.name, (asker) => perform(useCase as unknown as UseCase, inputs, asker)) as never,
        perform: (useCase, inputs) => traced(useCase.name, (asker) => perform(useCase, inputs, asker)),
        performFor: (asker, useCase, inputs) =>
          isTraced(asker)
            ? traced(useCase.name, (inSpan) => perform(useCase, inputs, inSpan))
            : perform(useCase, inputs, asker),
        runIn: (runCommand, useCase, inputs) =>
          asking(({ principal }) => submit(runCommand, useCase, inputs, principal))
      }
    })
  )
}
