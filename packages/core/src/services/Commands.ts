import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PrincipalInfo } from "../access/Principal.ts"
import { type RuleBook, ruleBook } from "../domain/rules/RuleBook.ts"
import type { FailureOf, Yielded } from "../engine/Command.ts"
import type { Transaction } from "../engine/Transaction.ts"
import { Journal } from "../events/Journal.ts"
import { asking } from "../ports/Direct.ts"
import { type CommandName, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Call } from "./Call.ts"
import { traceparentIn } from "./tracing.ts"

/** Runs commands, each as a transaction for its caller. */
export class Commands extends Context.Service<
  Commands,
  {
    readonly run: <Y extends Yielded, A>(
      name: CommandName,
      command: (call: Call) => Generator<Y, A, unknown>
    ) => Effect.Effect<A, FailureOf<Y> | StorageError>
  }
>()("@petstore/core/services/Commands") {
  static readonly layer = (rules: RuleBook) =>
    Layer.effect(
      Commands,
      Effect.gen(function* () {
        const store = yield* Storage
        const journal = yield* Journal
        const parts = { journal, rules }

        const callOf = (principal: PrincipalInfo, context: Context.Context<never>, tx: Transaction): Call =>
          new Call(tx, principal, Context.get(context, Clock.Clock), () => traceparentIn(context), parts)

        return {
          run: (name, command) =>
            asking(({ principal }) => store.run((tx, services) => command(callOf(principal, services, tx)), name))
        }
      })
    )

  /** For commands that no rule of a host application is about. */
  static readonly withoutRules = Commands.layer(ruleBook())
}
