import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ReservationPolicy } from "../domain/orders/Reservation.ts"
import type { ListIndex } from "../domain/records/ListIndex.ts"
import { type MetadataSchemas, metadataCheck } from "../domain/records/ResourceRecord.ts"
import { type RuleBook, ruleBook } from "../domain/rules/RuleBook.ts"
import type { FailureOf, Yielded } from "../kernel/Command.ts"
import { asking } from "../ports/Direct.ts"
import { Hasher } from "../ports/Hasher.ts"
import { type CommandName, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { Call, type Shared } from "./Call.ts"
import { Journal } from "./events/Journal.ts"
import { Expiries } from "./orders/Expiries.ts"
import { longestServerTurnMillis, longestTurnMillis, storeTime } from "./time.ts"
import { WebhookSecrets } from "./webhooks/secrets/WebhookSecrets.ts"

/** The options of use cases. */
export interface UseCaseOptions {
  readonly indexes?: ReadonlyArray<ListIndex> | undefined
  readonly metadata?: MetadataSchemas | undefined
  readonly reservations?: ReservationPolicy | undefined
  readonly search?: "words" | undefined
  readonly webhooks?: WebhookSender["Service"] | undefined
}

/** Runs commands, each as a transaction for its caller. */
export class Commands extends Context.Service<
  Commands,
  {
    readonly run: <Y extends Yielded, A>(
      name: CommandName,
      command: (call: Call) => Generator<Y, A, unknown>
    ) => Effect.Effect<A, FailureOf<Y> | StorageError>
    readonly shared: Shared
  }
>()("@petstore/core/programs/Commands") {
  static readonly layer = (
    rules: RuleBook = ruleBook(),
    { indexes, metadata = {}, reservations = {}, search, webhooks: sender }: UseCaseOptions = {}
  ) =>
    Layer.effect(
      Commands,
      Effect.gen(function* () {
        const store = yield* Storage
        const shared: Shared = {
          journal: yield* Journal,
          rules,
          hasher: yield* Hasher,
          expiries: new Expiries(reservations),
          checkMetadata: metadataCheck(metadata),
          search,
          indexes: new Set(indexes),
          secrets: yield* WebhookSecrets,
          sender,
          storeTime: storeTime(store),
          longestTurn: store.clockOffset === undefined ? longestTurnMillis : longestServerTurnMillis,
          keyed: { count: 0 }
        }
        return {
          shared,
          run: (name, command) =>
            asking(({ principal }) =>
              store.run((tx, services) => command(new Call(tx, principal, services, shared)), name)
            )
        }
      })
    )
}
