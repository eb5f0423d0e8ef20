import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type OptionSchemas, optionOf, optionsCheck } from "../domain/options.ts"
import { checkOrderLimits, type OrderLimits } from "../domain/orders/OrderLimits.ts"
import { checkReservations, type ReservationPolicy } from "../domain/orders/Reservation.ts"
import { type ListIndex, listIndexOption } from "../domain/records/ListIndex.ts"
import { type MetadataSchemas, metadataOption } from "../domain/records/ResourceRecord.ts"
import { checkRetention, type Retention } from "../domain/retention/Retention.ts"
import { type RuleBook, ruleBook } from "../domain/rules/RuleBook.ts"
import type { Rules } from "../domain/rules/Rules.ts"
import { Hasher } from "../ports/Hasher.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { ApiKeys } from "../programs/access/ApiKeys.ts"
import { Commands, type UseCaseOptions } from "../programs/Commands.ts"
import { Journal } from "../programs/events/Journal.ts"
import { DeliveryWakes } from "../programs/webhooks/DeliveryWakes.ts"
import { secretKeyOption } from "../programs/webhooks/secrets/secretKeys.ts"
import { WebhookSecrets } from "../programs/webhooks/secrets/WebhookSecrets.ts"
import { Consumers } from "./consumers/Consumers.ts"
import { Events } from "./events/Events.ts"
import { MessageQueue } from "./messages/MessageQueue.ts"
import { Reservations } from "./orders/Reservations.ts"
import { portableHasher } from "./portableHasher.ts"
import { backgroundTrimming } from "./retention/backgroundTrimming.ts"
import { deliveryPurging, messagePurging } from "./retention/purging.ts"
import { RetentionPolicy, Trimming } from "./retention/Trimming.ts"
import { AttemptCounts } from "./stats/AttemptCounts.ts"
import { Stats } from "./stats/Stats.ts"
import { storageLayer } from "./storageLayer.ts"
import { Transactions } from "./transactions/Transactions.ts"
import { UseCaseRunner } from "./UseCaseRunner.ts"
import { Verification } from "./verification/Verification.ts"
import { dispatchLayer } from "./webhooks/dispatch.ts"
import { reportSecrets } from "./webhooks/secrets/reportSecrets.ts"

/** An option that takes a sender of webhooks. */
const senderOption = optionOf<WebhookSender["Service"]>(
  "a sender of webhooks, such as webhookSender() of @petstore/http/webhooks",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "send" in value &&
    typeof value.send === "function" &&
    "urlProblem" in value &&
    typeof value.urlProblem === "function"
)

/** The option `search`. */
const searchOption = optionOf<"words">('"words", or nothing', (value) => value === "words")

/** The options of a petstore other than its storage. */
export interface RuntimeOptions<Schemas extends MetadataSchemas = MetadataSchemas> {
  /**
   * What the metadata of each kind of resource must match, as a whole: a schema of texts by keys. It is checked when metadata changes.
   * Default: any metadata.
   *
   * @beta
   */
  readonly metadata?: Schemas | undefined
  /**
   * Lets `pets.list` find words of names by its filter `search`, with an index in the database: the first opening builds it. Default:
   * only the beginnings of names are found.
   *
   * @beta
   */
  readonly search?: "words" | undefined
  /**
   * The indexes that lists need: by time, such as `orders.createdAt`, by metadata, such as `pets.metadata.chip`, of the events of each
   * resource, `events.subject`, and by stock, `inventory.available`. Opening builds those that the store lacks, and drops none. Default: none, and such lists fail with `not_indexed`.
   *
   * @beta
   */
  readonly indexes?: ReadonlyArray<ListIndex> | undefined
  /** Rules of the host application, in addition to those of the petstore. */
  readonly rules?: Rules | undefined
  /** What sends webhooks, such as `webhookSender()` of `@petstore/http`. Without it, this petstore sends none. */
  readonly webhooks?: WebhookSender["Service"] | undefined
  /**
   * Encrypts the URLs and secrets of webhooks in the store: 32 random bytes in base64, as `openssl rand -base64 32` prints them. Of several
   * keys, the first one encrypts, and all decrypt. Without a key they are stored in clear text.
   */
  readonly secretKey?: string | ReadonlyArray<string> | undefined
  /** How long the store keeps events, delivered messages and finished deliveries. Default: forever. */
  readonly retention?: Retention | undefined
  /** How long the orders of the store hold their units. Default: until they end. */
  readonly reservations?: ReservationPolicy | undefined
  /** How much one owner of orders may hold at the same time, by calls of this petstore. Default: no limits. */
  readonly orderLimits?: OrderLimits | undefined
}

/** What the options of a petstore take. */
export const runtimeSchemas = {
  rules: Schema.Unknown,
  metadata: metadataOption,
  indexes: listIndexOption,
  retention: Schema.Unknown,
  reservations: Schema.Unknown,
  orderLimits: Schema.Unknown,
  search: searchOption,
  secretKey: secretKeyOption,
  webhooks: senderOption
} satisfies OptionSchemas<RuntimeOptions>

const checkOptions = optionsCheck("Petstore.layer", "{ rules: { order: noReptilesByMail } }", runtimeSchemas)

/** What runs use cases, and what works beside them, on any store and hasher. */
const useCases = (rules: RuleBook, options: UseCaseOptions) =>
  Layer.mergeAll(
    ApiKeys.layer,
    Layer.provideMerge(Consumers.layer, Events.layer),
    Layer.provideMerge(messagePurging, MessageQueue.layer),
    Reservations.layer,
    Transactions.layer,
    Verification.layer,
    backgroundTrimming,
    deliveryPurging
  ).pipe(
    Layer.provideMerge(Trimming.layer),
    Layer.provideMerge(UseCaseRunner.layer),
    Layer.provideMerge(DeliveryWakes.layer),
    Layer.provideMerge(Commands.layer(rules, options)),
    Layer.provideMerge(Journal.layer),
    Layer.provideMerge(AttemptCounts.layer)
  )

/**
 * The petstore on a store: every use case, and the store itself, which closes with the layer's scope. Throws a TypeError for
 * invalid options.
 */
export const layer = (adapter: StorageAdapter, options: RuntimeOptions = {}) => {
  checkOptions(options)
  const { orderLimits, reservations = {}, retention = {}, secretKey, webhooks } = options
  checkRetention(retention)
  checkReservations(reservations)
  if (orderLimits !== undefined) checkOrderLimits(orderLimits)
  const storage = Layer.provideMerge(storageLayer(adapter, options), WebhookSecrets.layer(secretKey, adapter.name))
  const working = Layer.provideMerge(Stats.layer(adapter.name), useCases(ruleBook(options.rules, orderLimits), options))
  const report = webhooks === undefined && secretKey === undefined ? Layer.empty : reportSecrets
  // Fresh, because layers are shared within a program: the use cases of one petstore are not those of another store.
  return Layer.fresh(Layer.provideMerge(Layer.merge(dispatchLayer(webhooks), report), working)).pipe(
    Layer.provide(Layer.succeed(RetentionPolicy, retention)),
    Layer.provideMerge(storage),
    Layer.provideMerge(Layer.succeed(Hasher, adapter.hasher ?? portableHasher))
  )
}

/** What {@link layer} offers. */
export type Runtime = Layer.Success<ReturnType<typeof layer>>
