import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RuleBook } from "../domain/rules/RuleBook.ts"
import type { FailureOf, Yielded } from "../engine/Command.ts"
import { runOnRows } from "../engine/runOnRows.ts"
import type { CommandName } from "../ports/CommandName.ts"
import type { FirstLock } from "../ports/FirstLock.ts"
import { ImmediateBody } from "../ports/ImmediateBody.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Call } from "./Call.ts"
import { Journal } from "./Journal.ts"
import { Principal } from "./Principal.ts"
import { storedRows } from "./storedRows.ts"

/** Runs commands, each as a transaction for its caller, or as a part of the one that is open. */
export class Commands extends Context.Service<
  Commands,
  {
    /** `first` is the row that the command locks first, if that is known. */
    readonly run: <Y extends Yielded, A>(
      name: CommandName,
      command: (call: Call) => Generator<Y, A, unknown>,
      first?: FirstLock
    ) => Effect.Effect<A, FailureOf<Y> | StorageError>
  }
>()("@petstore/core/services/Commands") {
  static readonly layer = (rules: RuleBook) =>
    Layer.effect(
      Commands,
      Effect.gen(function* () {
        const { transact, ...store } = yield* Storage
        const journal = yield* Journal
        const rows = storedRows(store)
        const parts = { journal, rules }
        return {
          run: (name, command, first) =>
            transact(
              new ImmediateBody((context) => {
                const [principal, clock] = [Context.get(context, Principal), Context.get(context, Clock.Clock)]
                return runOnRows(rows, (tx) => command(new Call(tx, principal, clock, parts)))
              }),
              name,
              first
            )
        }
      })
    )
}
