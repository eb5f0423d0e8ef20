import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { UrlNotAllowed } from "../../domain/errors/InputErrors.ts"
import { newEvent } from "../../domain/events/Event.ts"
import type { Page } from "../../domain/Page.ts"
import type { ListQuery } from "../../domain/PageQuery.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import type {
  Delivery,
  DeliveryFilter,
  Redelivered,
  Redelivery,
  WebhookTestResult
} from "../../domain/webhooks/Delivery.ts"
import {
  amendWebhook,
  type NewWebhook,
  newRoute,
  newWebhook,
  sameWebhook,
  type Webhook,
  type WebhookRotation,
  type WebhookTest,
  type WebhookUpdate,
  type WebhookWithSecret,
  webhookSecret,
  webhookState
} from "../../domain/webhooks/Webhook.ts"
import { webhookUrlProblem } from "../../domain/webhooks/WebhookState.ts"
import { orFail } from "../../kernel/Command.ts"
import type { WebhookSender } from "../../ports/WebhookSender.ts"
import {
  deliveriesBy,
  deliveriesReversedBy,
  endpoints,
  endpointsReversed,
  recordedEvents,
  webhooks as table
} from "../../tables/index.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import type { Acting, Call, Reading, Shared } from "../Call.ts"
import type { Journal } from "../events/Journal.ts"
import { changeOf, once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, ChangeOptions, Versioned } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"
import { lockVersion } from "../precondition.ts"
import { attempt } from "./attempt.ts"
import { redeliver } from "./redeliver.ts"
import { forgotten, withoutSecrets } from "./secrets/WebhookSecrets.ts"

/** Sends an event of the type `webhook.test` to an endpoint, whether or not it is enabled. */
const sendTest = (
  journal: Journal["Service"],
  sender: WebhookSender["Service"] | undefined,
  record: WebhookRecord
): Effect.Effect<WebhookTestResult> =>
  Effect.gen(function* () {
    const { id } = record.webhook
    const test: WebhookTest = {
      id: yield* journal.nextId("evt"),
      type: "webhook.test",
      timestamp: yield* journal.clockTime,
      subject: `webhooks/${id}`,
      data: { id }
    }
    const now = Date.parse(test.timestamp)
    const outcome = yield* attempt(sender, record, { id: test.id, body: JSON.stringify(test), attempts: 0 }, now)
    if (outcome.delivered) return { delivered: true, responseStatus: outcome.status }
    const { message, reason, status } = outcome
    return { delivered: false, failure: reason, ...(status === undefined ? {} : { responseStatus: status }), message }
  })

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
  list(query?: ListQuery, options?: Options): Promise<Page<Webhook>>
  /** Iterates over all endpoints, a page at a time. */
  all(query?: ListQuery, options?: Options): AsyncIterable<Webhook>
  /**
   * Updates the fields that are present; null removes the types (it then receives the default) or the description. While an endpoint is
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
  /** Iterates over all deliveries, a page at a time. */
  allDeliveries(webhookId: number, query?: DeliveryFilter, options?: Options): AsyncIterable<Delivery>
  /**
   * Schedules a delivery, or all deliveries of a range of events, for immediate sending, whatever their outcome was. In a range, this
   * includes events of the endpoint's types that it missed while it was disabled. A call covers 1,000 events: pass its `next` as `after`.
   * Other processes notice within 15 seconds. Fails with `not_found`, and with `cursor_expired` if the first event is not kept any
   * more: `details.earliest` is the first that is.
   */
  redeliver(webhookId: number, redelivery: Redelivery, options?: Options): Promise<Redelivered>
}

function* endpoint({ rows }: Reading, id: number) {
  return (yield* rows.find(table, id)) ?? (yield* notFound("webhook", id))
}

/** An endpoint with its URL in clear text. */
const opened = ({ secrets }: Shared, webhook: Webhook) =>
  orFail(Result.map(secrets.openUrl(webhook), (url) => ({ ...webhook, url })))

/** Fails for a URL that nothing is sent to. */
const checkUrl = ({ sender }: Shared, url: string) => {
  const message = sender === undefined ? webhookUrlProblem(url) : sender.urlProblem(url)
  return orFail(message === undefined ? Result.void : Result.fail(new UrlNotAllowed({}, { message })))
}

const newSecret = ({ hasher }: Shared) => webhookSecret(hasher.randomBytes(32))

export const webhookQueries = {
  *get(reading: Reading, id: number) {
    const { version, webhook } = yield* endpoint(reading, id)
    return { ...(yield* opened(reading.shared, webhook)), version }
  },

  *list({ rows, shared }: Reading, query: ListQuery = {}) {
    const { by, sort, start } = directionOf(query.sort, endpoints, endpointsReversed)
    const page = yield* pageOf(query, {
      list: "webhooks",
      filters: { sort },
      start,
      rows: (after, limit) => rows.all(by, after, limit),
      position: ({ webhook }) => webhook.id,
      item: ({ webhook }) => webhook
    })
    const items: Array<Webhook> = []
    for (const webhook of page.items) items.push(yield* opened(shared, webhook))
    return { ...page, items }
  },

  *deliveries(reading: Reading, webhookId: number, { status, ...query }: DeliveryFilter = {}) {
    yield* reading.rows.together()
    yield* endpoint(reading, webhookId)
    const { by, sort, start } = directionOf(query.sort, deliveriesBy, deliveriesReversedBy)
    return yield* pageOf(query, {
      list: "deliveries",
      filters: { webhookId, status, sort },
      start,
      rows: (after, limit) => reading.rows.all(by, { webhookId, status, after }, limit),
      position: ({ delivery }) => delivery.id,
      item: ({ delivery }) => delivery
    })
  }
}

/** The commands that change webhooks. Takes effect for their deliveries by its events. */
export const webhookCommands = {
  *update(call: Call, id: number, update: WebhookUpdate, options?: Pick<ChangeOptions, "ifVersion">) {
    const { secrets } = call.shared
    if (update.url !== undefined) yield* checkUrl(call.shared, update.url)
    const record = yield* lockVersion(call, table, id, "webhook", options)
    const { failingSince, version: last, ...rest } = record
    const url = secrets.openUrl(record.webhook)
    // A new URL replaces one that cannot be decrypted.
    const known = update.url === undefined ? yield* orFail(url) : Result.getOrElse(url, () => record.webhook.url)
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
  },

  *delete(call: Call, id: number, options?: ChangeOptions) {
    yield* once(call, "webhooks.delete", options, () => changeOf(id, options))
    const record = yield* lockVersion(call, table, id, "webhook", options)
    const at = call.now()
    call.tx.save(table, forgotten(record))
    call.record(at, [newEvent("webhook.deleted", { id })])
    return { id }
  },

  *rotateSecret(call: Call, id: number, { graceSeconds = defaultGraceSeconds }: WebhookRotation = {}) {
    const { secrets } = call.shared
    const { previous: _, ...record } = (yield* call.tx.lock(table, id)) ?? (yield* notFound("webhook", id))
    const url = yield* orFail(secrets.openUrl(record.webhook))
    const until = plusMillis(call.clockTime(), graceSeconds * 1000)
    // Without a grace period, a new secret replaces one that cannot be decrypted.
    const previous =
      graceSeconds === 0 ? {} : { previous: { secret: (yield* orFail(secrets.open(record))).secret, until } }
    const secret = newSecret(call.shared)
    call.tx.save(table, secrets.seal({ ...record, ...previous, secret }))
    return { ...record.webhook, url, version: record.version, secret }
  }
}

function* create(call: Call, input: NewWebhook) {
  yield* checkUrl(call.shared, input.url)
  const at = call.now()
  const webhook = newWebhook(input, at)
  const secret = newSecret(call.shared)
  const row = { version: 1, route: newRoute(yield* call.tx.last(recordedEvents)), deleted: false }
  const { secret: none, url } = withoutSecrets
  const bare = yield* call.tx.insert(table, (id) => ({ ...row, webhook: { ...webhook, id, url }, secret: none }))
  const created = { id: bare.webhook.id, ...webhook }
  call.tx.save(table, call.shared.secrets.seal({ ...bare, webhook: created, secret }))
  call.record(at, [newEvent("webhook.created", { ...webhookState(created), version: 1 })])
  return { ...created, secret, version: 1 }
}

/** What wakes deliveries, or sends. */
export const webhookActions = {
  create: ({ shared, submit, wakes }: Acting, input: NewWebhook) =>
    Effect.tap(
      submit((call) => create(call, input)),
      Effect.andThen(wakes.endpointCreated, shared.secrets.reportClear)
    ),

  redeliver: ({ submit, wakes }: Acting, id: number, what: Redelivery) =>
    Effect.tap(
      submit((call) => redeliver(call, id, what)),
      wakes.wake(id)
    ),

  /** Sends a test. */
  test: ({ isInTransaction, read, shared }: Acting, id: number) =>
    Effect.gen(function* () {
      if (isInTransaction) return yield* Effect.die(new TypeError(noTestInTransaction))
      const record = yield* read((reading) => endpoint(reading, id))
      return yield* sendTest(shared.journal, shared.sender, yield* Effect.fromResult(shared.secrets.open(record)))
    })
}
