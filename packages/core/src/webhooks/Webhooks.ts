import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type InvalidCursor, UrlNotAllowed, type ValidationFailed } from "../domain/errors/InputErrors.ts"
import { type CursorExpired, NotFound, type PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { SecretUnreadable } from "../domain/errors/ServiceErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { plusMillis } from "../domain/Timestamp.ts"
import { fail, orFail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import { Journal } from "../events/Journal.ts"
import { changeOf, deletion, Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { goOn, map } from "../ports/Direct.ts"
import { Hasher } from "../ports/Hasher.ts"
import { Storage } from "../ports/Storage.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { Commands } from "../services/Commands.ts"
import { found } from "../services/found.ts"
import type { CallOptions, ChangeOptions, Versioned } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import { lockVersion } from "../services/precondition.ts"
import type { UseCases } from "../services/UseCases.ts"
import { deliveriesBy, endpoints, recordedEvents, webhooks as table } from "../tables/index.ts"
import { OpenCommands } from "../transactions/OpenCommands.ts"
import type { Delivery, DeliveryFilter, Redelivered, Redelivery, WebhookTestResult } from "./Delivery.ts"
import { DeliveryWakes } from "./DeliveryWakes.ts"
import { redeliver } from "./redeliver.ts"
import { forgotten, WebhookSecrets, withoutSecrets } from "./secrets/WebhookSecrets.ts"
import { sendTest } from "./sendTest.ts"
import {
  amendWebhook,
  type NewWebhook,
  newRoute,
  newWebhook,
  sameWebhook,
  type Webhook,
  type WebhookRotation,
  type WebhookUpdate,
  type WebhookWithSecret,
  webhookSecret,
  webhookState
} from "./Webhook.ts"
import { webhookUrlProblem } from "./WebhookState.ts"
import type { DeliveryRecord, WebhookRecord } from "./webhookTables.ts"

const noTestInTransaction =
  "webhooks.test sends a request, and a transaction must not wait for one. Call it before or after the transaction."

const defaultGraceSeconds = 24 * 60 * 60

/**
 * The methods of `petstore.webhooks`: the endpoints that events are sent to, and what was delivered to them.
 *
 * @experimental
 */
export interface WebhookMethods<Options extends CallOptions = CallOptions> {
  /**
   * Creates an endpoint, which receives the events after its creation. Only this result and that of {@link rotateSecret} contain
   * the secret. Fails with `url_not_allowed`.
   */
  create(webhook: NewWebhook, options?: Options): Promise<Versioned<WebhookWithSecret>>
  /** Reads an endpoint, without its secret. Fails with `not_found`, `secret_unreadable`. */
  get(webhookId: number, options?: Options): Promise<Versioned<Webhook>>
  /** Lists one page of endpoints, in ascending order of ids. */
  list(query?: PageQuery, options?: Options): Promise<Page<Webhook>>
  /** Iterates over the endpoints of all pages. */
  all(query?: PageQuery, options?: Options): AsyncIterable<Webhook>
  /**
   * Updates the fields that are present; null removes the types (it then receives all) or the description. While an endpoint is
   * disabled, its deliveries wait, and no new ones are made: `enabled: true` enables it again. Takes no idempotency key, because
   * the result has the URL, which may contain a token. Fails with `not_found`, `precondition_failed`, `url_not_allowed`.
   */
  update(
    webhookId: number,
    update: WebhookUpdate,
    options?: Pick<ChangeOptions, "ifVersion"> & Options
  ): Promise<Versioned<Webhook>>
  /** Deletes an endpoint: nothing is sent to it any more. Fails with `not_found`, `precondition_failed`. */
  delete(webhookId: number, options?: ChangeOptions & Options): Promise<void>
  /** Gives an endpoint a new secret. For `graceSeconds`, requests are signed with the old one too. Default: 24 hours. Fails with `not_found`. */
  rotateSecret(webhookId: number, rotation?: WebhookRotation, options?: Options): Promise<Versioned<WebhookWithSecret>>
  /**
   * Sends one event of the type `webhook.test`, and returns the outcome. It is not retried, and is in no list. Fails with
   * `not_found`; throws a TypeError in a transaction.
   */
  test(webhookId: number, options?: Options): Promise<WebhookTestResult>
  /** Lists one page of the deliveries to an endpoint, in ascending order of ids. Fails with `not_found`. */
  deliveries(webhookId: number, query?: DeliveryFilter, options?: Options): Promise<Page<Delivery>>
  /** Iterates over the deliveries of all pages. */
  allDeliveries(webhookId: number, query?: DeliveryFilter, options?: Options): AsyncIterable<Delivery>
  /**
   * Schedules a delivery, or all deliveries of a range of events, for immediate sending, whatever their outcome was. In a range, this
   * includes events of the endpoint's types that it missed while it was disabled. A call covers 1,000 events: pass its `next` as `after`.
   * Other processes notice within 15 seconds. Fails with `not_found`, and with `cursor_expired` if the first event is not kept any
   * more: `details.earliest` is the first that is.
   */
  redeliver(webhookId: number, redelivery: Redelivery, options?: Options): Promise<Redelivered>
}

/** The use cases of webhooks. Inputs are decoded already. */
export class Webhooks extends Context.Service<
  Webhooks,
  UseCases<
    WebhookMethods,
    {
      create: UrlNotAllowed
      get: NotFound | SecretUnreadable
      list: InvalidCursor | SecretUnreadable
      update: NotFound | PreconditionFailed | SecretUnreadable | UrlNotAllowed
      delete: NotFound | PreconditionFailed | IdempotencyError
      rotateSecret: NotFound | SecretUnreadable
      test: NotFound | SecretUnreadable
      deliveries: NotFound | InvalidCursor
      redeliver: CursorExpired | NotFound | ValidationFailed
    }
  >
>()("@petstore/core/webhooks/Webhooks") {
  /** Without a sender, endpoints can be managed, and nothing is sent. */
  static readonly layer = (sender: WebhookSender["Service"] | undefined) =>
    Layer.effect(
      Webhooks,
      Effect.gen(function* () {
        const storage = yield* Storage
        const { run } = yield* Commands
        const hasher = yield* Hasher
        const journal = yield* Journal
        const idempotency = yield* Idempotency
        const wakes = yield* DeliveryWakes
        const secrets = yield* WebhookSecrets

        const endpoint = (id: number) => found("webhook", id, storage.find(table, id))
        const newSecret = Effect.sync(() => webhookSecret(hasher.randomBytes(32)))
        const problemOf = (url: string) => (sender === undefined ? webhookUrlProblem(url) : sender.urlProblem(url))
        const checkUrl = (url: string | undefined) => {
          const message = url === undefined ? undefined : problemOf(url)
          return message === undefined ? Effect.void : Effect.fail(new UrlNotAllowed({}, { message }))
        }
        const opened = (webhook: Webhook) => Result.map(secrets.openUrl(webhook), (url) => ({ ...webhook, url }))

        return {
          create: (input) =>
            Effect.gen(function* () {
              yield* checkUrl(input.url)
              const secret = yield* newSecret
              const created = yield* run("webhooks.create", function* (call) {
                const at = call.now()
                const webhook = newWebhook(input, at)
                const route = newRoute(yield* call.tx.last(recordedEvents))
                const row = { version: 1, route, deleted: false }
                const { secret: none, url } = withoutSecrets
                const bare = yield* call.tx.insert(table, (id) => ({
                  ...row,
                  webhook: { ...webhook, id, url },
                  secret: none
                }))
                const created = { id: bare.webhook.id, ...webhook }
                call.tx.save(table, secrets.seal({ ...bare, webhook: created, secret }))
                call.record(at, [newEvent("webhook.created", { ...webhookState(created), version: 1 })])
                return { ...created, secret, version: 1 }
              })
              yield* wakes.endpointCreated
              yield* secrets.reportClear
              return created
            }),

          get: (id) =>
            goOn(endpoint(id), ({ version, webhook }) =>
              Effect.fromResult(Result.map(opened(webhook), (shown) => ({ ...shown, version })))
            ),

          list: (query = {}) =>
            goOn(
              paginate(
                query,
                { list: "webhooks", start: 0, position: ({ webhook }: WebhookRecord) => webhook.id },
                (after, limit) => storage.select(endpoints, after, limit),
                ({ webhook }) => webhook
              ),
              (page) =>
                Effect.fromResult(Result.map(Result.all(page.items.map(opened)), (items) => ({ ...page, items })))
            ),

          update: (id, update, options) =>
            Effect.andThen(
              checkUrl(update.url),
              run("webhooks.update", function* (call) {
                const record = yield* lockVersion(call, table, id, "webhook", options)
                const { failingSince, version: last, ...rest } = record
                const url = secrets.openUrl(record.webhook)
                // A new URL replaces one that cannot be decrypted.
                const known =
                  update.url === undefined ? yield* orFail(url) : Result.getOrElse(url, () => record.webhook.url)
                const before = { ...record.webhook, url: known }
                const at = call.now()
                const webhook = amendWebhook(before, update, at)
                if (sameWebhook(webhook, before)) return { ...before, version: last }
                const version = last + 1
                const keepsFailing = webhook.enabled === before.enabled && failingSince !== undefined
                const after = { ...rest, ...(keepsFailing ? { failingSince } : {}), webhook, version }
                call.tx.save(table, secrets.seal(after))
                const type = before.enabled && !webhook.enabled ? "webhook.disabled" : "webhook.updated"
                call.record(at, [newEvent(type, { ...webhookState(webhook), version })])
                return { ...webhook, version }
              })
            ),

          delete: (id, options) =>
            map(
              idempotency.once("webhooks.delete", changeOf(id, options), options, function* (call) {
                const record = yield* lockVersion(call, table, id, "webhook", options)
                const at = call.now()
                call.tx.save(table, forgotten(record))
                call.record(at, [newEvent("webhook.deleted", { id })])
                return { id }
              }),
              deletion
            ),

          rotateSecret: (id, { graceSeconds = defaultGraceSeconds } = {}) =>
            Effect.gen(function* () {
              const secret = yield* newSecret
              return yield* run("webhooks.rotateSecret", function* (call) {
                const found = yield* call.tx.lock(table, id)
                if (found === undefined) return yield* fail(NotFound.of("webhook", id))
                const { previous: _, ...record } = found
                const url = yield* orFail(secrets.openUrl(record.webhook))
                const until = plusMillis(call.clockTime(), graceSeconds * 1000)
                // Without a grace period, a new secret replaces one that cannot be decrypted.
                const previous =
                  graceSeconds === 0
                    ? {}
                    : { previous: { secret: (yield* orFail(secrets.open(record))).secret, until } }
                call.tx.save(table, secrets.seal({ ...record, ...previous, secret }))
                return { ...record.webhook, url, version: record.version, secret }
              })
            }),

          test: (id) =>
            Effect.gen(function* () {
              if ((yield* OpenCommands) !== undefined) return yield* Effect.die(new TypeError(noTestInTransaction))
              const record = yield* endpoint(id)
              return yield* sendTest(journal, sender, yield* Effect.fromResult(secrets.open(record)))
            }),

          deliveries: (webhookId, query = {}) => {
            const { status } = query
            return goOn(endpoint(webhookId), () =>
              paginate(
                query,
                {
                  list: "deliveries",
                  filters: { webhookId, status },
                  start: 0,
                  position: ({ delivery }: DeliveryRecord) => delivery.id
                },
                (after, limit) => storage.select(deliveriesBy, { webhookId, status, after }, limit),
                ({ delivery }) => delivery
              )
            )
          },

          redeliver: (id, what) =>
            Effect.tap(
              run("webhooks.redeliver", (call) => redeliver(call, id, what)),
              wakes.wake(id)
            )
        }
      })
    ).pipe(Layer.provide([Idempotency.withoutRules, Commands.withoutRules]))
}
