import type { Delivery, DeliveryStatus, Redelivered, Webhook, WebhookTestResult } from "@petstore/core/domain"
import { Petstore } from "@petstore/core/effect"
import { Webhooks } from "@petstore/core/services"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { webhookSender } from "../../webhooks/webhookSender.ts"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { type Database, type SecretKeys, withSecretKeys } from "../settings.ts"
import { secondOf, table } from "../terminal/table.ts"
import { outputWidth } from "../terminal/text.ts"

interface ListInput {
  readonly database: Database
  readonly secretKeys: SecretKeys
  readonly json: boolean
}

const stateOf = ({ disabledAt, disabledReason, enabled }: Webhook): string =>
  enabled ? "enabled" : `disabled (${disabledReason ?? "requested"}) ${secondOf(disabledAt)}`

/** A table of endpoints of at most a width, in characters. */
const toTable = (webhooks: ReadonlyArray<Webhook>, width: number): string =>
  table(
    [
      ["id", "url", "types", "ordered", "concurrency", "state"],
      ...webhooks.map((webhook) => [
        String(webhook.id),
        webhook.url,
        webhook.types?.join(", ") ?? "all",
        webhook.ordered ? "yes" : "no",
        String(webhook.concurrency),
        stateOf(webhook)
      ])
    ],
    width
  )

/** Prints every endpoint, without its secret. */
export const list = ({ database, json, secretKeys }: ListInput) =>
  Effect.gen(function* () {
    const { webhooks } = yield* Petstore
    const found = yield* Stream.runCollect(webhooks.all({ limit: 100 }))
    yield* Console.log(json ? JSON.stringify(found, null, 2) : toTable(found, outputWidth()))
  }).pipe(Effect.provide(openExisting(database, withSecretKeys(secretKeys))))

interface DeliveriesInput {
  readonly database: Database
  readonly json: boolean
  readonly id: number
  readonly status: Option.Option<DeliveryStatus>
}

/** What comes next, or how it ended. */
const outcomeOf = ({ finishedAt, nextAttemptAt, status }: Delivery): string => {
  if (status !== "pending") return secondOf(finishedAt)
  return nextAttemptAt === undefined ? "after an earlier event" : `next attempt ${secondOf(nextAttemptAt)}`
}

/** A table of deliveries of at most a width, in characters. */
const toDeliveryTable = (deliveries: ReadonlyArray<Delivery>, width: number): string =>
  table(
    [
      ["id", "seq", "type", "status", "attempts", "when", "last failure"],
      ...deliveries.map((delivery) => [
        String(delivery.id),
        String(delivery.seq),
        delivery.type,
        delivery.status,
        String(delivery.attempts),
        outcomeOf(delivery),
        delivery.message ?? delivery.failure ?? "-"
      ])
    ],
    width
  )

/** Prints the deliveries to an endpoint, oldest first. */
export const deliveries = ({ database, id, json, status }: DeliveriesInput) =>
  Effect.gen(function* () {
    const { webhooks } = yield* Petstore
    const filter = Option.match(status, { onNone: () => ({}), onSome: (one) => ({ status: one }) })
    const found = yield* Stream.runCollect(webhooks.allDeliveries(id, { ...filter, limit: 100 }))
    yield* Console.log(json ? JSON.stringify(found, null, 2) : toDeliveryTable(found, outputWidth()))
  }).pipe(Effect.provide(openExisting(database)))

interface TestInput {
  readonly database: Database
  readonly id: number
  readonly webhookAddresses: ReadonlyArray<string>
  readonly secretKeys: SecretKeys
  readonly json: boolean
}

const shown = (id: number, { delivered, message, responseStatus }: WebhookTestResult): string =>
  delivered ? `Webhook ${id} responded ${responseStatus}.` : `Webhook ${id} did not get the test: ${message}`

/** Sends one test event, and prints the outcome. Sends nothing else: deliveries that are due are left to the server. */
export const test = ({ database, id, json, secretKeys, webhookAddresses }: TestInput) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const result = yield* webhooks.test(id)
    if (json) yield* Console.log(JSON.stringify(result, null, 2))
    else if (result.delivered) yield* Console.log(shown(id, result))
    if (!result.delivered) return yield* new SubcommandFailed({ message: shown(id, result).replace(/\.$/, "") })
  }).pipe(
    Effect.provide(
      Layer.provide(
        Webhooks.layer(webhookSender({ allowAddresses: webhookAddresses })),
        openExisting(database, withSecretKeys(secretKeys))
      )
    )
  )

interface EncryptInput {
  readonly database: Database
  readonly secretKeys: SecretKeys
}

/** Encrypts what is secret of every webhook with the first key. */
export const encrypt = ({ database, secretKeys }: EncryptInput) =>
  Effect.gen(function* () {
    if (secretKeys === undefined) {
      return yield* new UsageError({ message: "Set PETSTORE_SECRET_KEY, or name a file with --secret-key-file" })
    }
    const encrypting = Effect.flatMap(Petstore, ({ encryptSecrets }) => encryptSecrets)
    const count = yield* Effect.provide(encrypting, openExisting(database, withSecretKeys(secretKeys)))
    yield* Console.log(
      count === 1
        ? "1 webhook was encrypted; all are encrypted with the first key."
        : `${count} webhooks were encrypted; all are encrypted with the first key.`
    )
  })

interface RedeliverInput {
  readonly database: Database
  readonly id: number
  readonly delivery: Option.Option<number>
  readonly after: Option.Option<number>
  readonly through: Option.Option<number>
  readonly json: boolean
}

/** Schedules one delivery or the events of a range again, in as many calls as the range needs. */
export const redeliver = ({ after, database, delivery, id, json, through }: RedeliverInput) =>
  Effect.gen(function* () {
    if (Option.isSome(delivery) === Option.isSome(after) || (Option.isSome(delivery) && Option.isSome(through))) {
      return yield* new UsageError({ message: "Give either --delivery, or --after and perhaps --through" })
    }
    const scheduling = Effect.gen(function* () {
      const { events, webhooks } = yield* Petstore
      if (Option.isSome(delivery)) return (yield* webhooks.redeliver(id, { deliveryId: delivery.value })).scheduled
      // Not the events that are committed meanwhile: they would make the range endless.
      const end = Option.isSome(through) ? through.value : yield* events.latest
      let scheduled = 0
      let next = Option.getOrUndefined(after)
      while (next !== undefined) {
        const page: Redelivered = yield* webhooks.redeliver(id, { after: next, through: end })
        scheduled += page.scheduled
        next = page.next
      }
      return scheduled
    })
    const scheduled = yield* Effect.provide(scheduling, openExisting(database))
    yield* Console.log(
      json
        ? JSON.stringify({ scheduled }, null, 2)
        : scheduled === 1
          ? "1 delivery is scheduled."
          : `${scheduled} deliveries are scheduled.`
    )
  })
