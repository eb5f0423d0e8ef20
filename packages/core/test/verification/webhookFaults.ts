import { limits } from "../../src/domain/limits.ts"
import type { DeliveryRecord, WebhookRecord } from "../../src/tables/webhookTables.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { type Alter, change, type Fault, start } from "./Fault.ts"

const changeWebhook = (id: number, to: (record: WebhookRecord) => WebhookRecord): Alter<WebhookRecord> =>
  change(({ webhook }) => webhook.id === id, to)

const changeDelivery = (id: number, to: (record: DeliveryRecord) => DeliveryRecord): Alter<DeliveryRecord> =>
  change(({ delivery }) => delivery.id === id, to)

const withFields =
  (fields: Partial<DeliveryRecord["delivery"]>) =>
  (record: DeliveryRecord): DeliveryRecord => ({ ...record, delivery: { ...record.delivery, ...fields } })

const whole = (problem: string): Fault["found"] => ({ deliveries_whole: [{ deliveryId: 1, problem }] })

/** Faults of webhooks and deliveries. */
export const webhookFaults: ReadonlyArray<Fault> = [
  {
    given: "a webhook that gets other events than its own say",
    damage: { webhooks: changeWebhook(2, (row) => ({ ...row, webhook: { ...row.webhook, types: ["pet.created"] } })) },
    found: {
      events_replay_webhooks: [{ subject: "webhooks/2", types: { found: "pet.created", expected: "pet.deleted" } }]
    }
  },
  {
    given: "a webhook whose row is lost",
    damage: { webhooks: (rows) => rows.filter(({ webhook }) => webhook.id !== 3) },
    found: { events_replay_webhooks: [{ subject: "webhooks/3", problem: "there is no such row" }] }
  },
  {
    given: "a deleted webhook that is back",
    damage: { webhooks: changeWebhook(3, (row) => ({ ...row, deleted: false })) },
    found: { events_replay_webhooks: [{ subject: "webhooks/3", end: { found: null, expected: "webhook.deleted" } }] }
  },
  {
    given: "a webhook whose secret is none",
    damage: { webhooks: changeWebhook(1, (row) => ({ ...row, secret: "whsec_" })) },
    found: { webhooks_whole: [{ webhookId: 1, problem: "its secret is invalid" }] }
  },
  {
    given: "a webhook whose URL is none",
    damage: { webhooks: changeWebhook(1, (row) => ({ ...row, webhook: { ...row.webhook, url: "example.com" } })) },
    found: { webhooks_whole: [{ webhookId: 1, problem: "its URL is invalid" }] }
  },
  {
    given: "a webhook whose URL has a blank behind it, which no new one can have",
    damage: {
      webhooks: changeWebhook(1, (row) => ({ ...row, webhook: { ...row.webhook, url: "https://example.com/hook " } }))
    },
    found: { webhooks_whole: [{ webhookId: 1, problem: "its URL is invalid" }] }
  },
  {
    given: "a webhook with the URL of another one",
    damage: {
      webhooks: (all) =>
        all.map((row) => ({ ...row, webhook: { ...row.webhook, url: all[1]?.webhook.url ?? row.webhook.url } }))
    },
    found: {
      secrets_readable: [
        {
          webhookId: 1,
          problem:
            "The url of webhook 1 is not what the key U1-Of4sz encrypted for it: it was changed, or is of another webhook. Restore it from a backup, or set another url."
        }
      ]
    }
  },
  ...[0, limits.webhookConcurrency + 1].map(
    (concurrency): Fault => ({
      given: `a webhook with ${concurrency} requests at a time`,
      damage: { webhooks: changeWebhook(1, (row) => ({ ...row, webhook: { ...row.webhook, concurrency } })) },
      found: {
        events_replay_webhooks: [{ subject: "webhooks/1", concurrency: { found: concurrency, expected: 10 } }],
        webhooks_whole: [{ webhookId: 1, problem: "its concurrency is out of range" }]
      }
    })
  ),
  ...[null, 7, {}, { after: 0.5 }].map(
    (route): Fault => ({
      given: `a webhook with the route ${JSON.stringify(route)}`,
      damage: { webhooks: changeWebhook(2, (row) => ({ ...row, route: untyped(route) })) },
      found: { webhooks_whole: [{ webhookId: 2, problem: "its route is invalid" }] }
    })
  ),
  {
    given: "a webhook without a version",
    damage: { webhooks: changeWebhook(1, (row) => ({ ...row, version: 0 })) },
    found: {
      events_replay_webhooks: [{ subject: "webhooks/1", version: { found: 0, expected: 1 } }],
      webhooks_whole: [{ webhookId: 1, problem: "its version is not a positive integer" }]
    }
  },
  {
    given: "two webhooks with one id",
    damage: { webhooks: (rows) => rows.flatMap((row) => (row.webhook.id === 3 ? [row, row] : [row])) },
    found: {
      ids_unique: [{ table: "webhooks", id: 3 }],
      events_replay_webhooks: [{ subject: "webhooks/3", problem: "no event is about it" }]
    }
  },
  {
    given: "a webhook that no event is about",
    damage: {
      webhooks: (rows) =>
        rows.flatMap((row) =>
          row.webhook.id === 3
            ? [row, { ...row, route: { ...row.route, enabled: true }, webhook: { ...row.webhook, id: 4 } }]
            : [row]
        )
    },
    found: {
      events_replay_webhooks: [{ subject: "webhooks/4", problem: "no event is about it" }],
      webhook_routes: [{ webhookId: 4, enabled: { found: true, expected: false } }]
    }
  },
  {
    given: "a delivery between two events",
    damage: { deliveries: changeDelivery(3, withFields({ seq: 49.5 })) },
    found: {
      events_delivered: [{ seq: 50, type: "webhook.created", webhookId: 1 }],
      deliveries_have_events: [{ deliveryId: 3, seq: 49.5, problem: "there is no such event" }]
    }
  },
  {
    given: "an attempt that nobody claimed and nobody counted",
    damage: { deliveries: changeDelivery(4, withFields({ lastAttemptAt: start })) },
    found: { deliveries_whole: [{ deliveryId: 4, problem: "an attempt was made without a claim" }] }
  },
  {
    given: "a webhook that failed before it was created",
    damage: { webhooks: changeWebhook(1, (row) => ({ ...row, failingSince: "1969-12-31T23:59:59.999Z" })) },
    found: { webhooks_whole: [{ webhookId: 1, problem: "it failed before it was created" }] }
  },
  {
    given: "an event without a delivery to a webhook that gets it",
    damage: { deliveries: (all) => all.filter(({ delivery }) => delivery.id !== 3) },
    found: { events_delivered: [{ seq: 50, type: "webhook.created", webhookId: 1 }] }
  },
  {
    given: "a webhook whose route is behind the log",
    damage: { webhooks: changeWebhook(1, (row) => ({ ...row, route: { ...row.route, after: 99 } })) },
    found: { webhook_routes: [{ webhookId: 1, after: { found: 99, expected: 51 } }] }
  },
  {
    given: "a delivery of another event",
    damage: { deliveries: changeDelivery(2, withFields({ subject: "webhooks/9" })) },
    found: {
      deliveries_have_events: [{ deliveryId: 2, seq: 49, subject: { found: "webhooks/9", expected: "webhooks/2" } }]
    }
  },
  {
    given: "a delivery of an event that does not exist",
    damage: { deliveries: changeDelivery(4, withFields({ seq: 99 })) },
    found: {
      events_delivered: [{ seq: 51, type: "webhook.deleted", webhookId: 1 }],
      deliveries_have_events: [{ deliveryId: 4, seq: 99, problem: "there is no such event" }]
    }
  },
  {
    given: "a delivered one that failed",
    damage: { deliveries: changeDelivery(1, withFields({ responseStatus: 500 })) },
    found: whole("it was not delivered")
  },
  {
    given: "a delivered one with a next attempt",
    damage: { deliveries: changeDelivery(1, withFields({ nextAttemptAt: "2030-01-01T00:00:00.000Z" })) },
    found: whole("it has ended, and has a next attempt")
  },
  {
    given: "a delivery that ended at another time than its last attempt",
    damage: { deliveries: changeDelivery(1, withFields({ finishedAt: start.replace("000Z", "001Z") })) },
    found: whole("it did not end with its last attempt")
  },
  ...[199, 300].map(
    (responseStatus): Fault => ({
      given: `a delivered one with the status ${responseStatus}`,
      damage: {
        deliveries: changeDelivery(1, (record) => ({
          ...withFields({ responseStatus })(record),
          latestAttempts: [[start, 5, responseStatus]]
        }))
      },
      found: whole("it was not delivered")
    })
  ),
  {
    given: "a number of attempts below zero",
    damage: { deliveries: changeDelivery(1, withFields({ attempts: -1 })) },
    found: whole("its attempts or its fence is not a count")
  },
  {
    given: "a failure that no attempt has",
    damage: { deliveries: changeDelivery(2, withFields({ failure: untyped("bored") })) },
    found: { deliveries_whole: [{ deliveryId: 2, problem: "its failure is unknown" }] }
  },
  {
    given: "a half claim",
    damage: { deliveries: changeDelivery(1, (record) => ({ ...record, lease: { fence: 1.5 } })) },
    found: whole("its attempts or its fence is not a count")
  },
  {
    given: "an attempt that nobody claimed",
    damage: { deliveries: changeDelivery(1, (record) => ({ ...record, lease: { fence: 0 } })) },
    found: whole("it has more attempts than claims")
  },
  ...[
    [[start, 5, 500]],
    [[start, 5, 200, "timeout", "No response."]],
    [["soon", 5, 200]],
    [[start, -1, 200]],
    [[start, 5]],
    [5],
    [],
    { at: start },
    Array.from({ length: 11 }, () => [start, 5, 200])
  ].map(
    (latestAttempts): Fault => ({
      given: `the latest attempts ${JSON.stringify(latestAttempts)} at a delivery that was delivered`,
      damage: { deliveries: changeDelivery(1, (record) => ({ ...record, latestAttempts: untyped(latestAttempts) })) },
      found: whole("its latest attempts are invalid")
    })
  ),
  ...[
    [start, 12, 0, "connection", "No response."],
    [start, 12, 0, "timeout", "Nothing."],
    [start, 12, 500, "timeout", "No response."]
  ].map(
    (last): Fault => ({
      given: `the latest attempt ${JSON.stringify(last)} at a delivery that had no response in time`,
      damage: { deliveries: changeDelivery(2, (record) => ({ ...record, latestAttempts: untyped([last]) })) },
      found: { deliveries_whole: [{ deliveryId: 2, problem: "its latest attempts are invalid" }] }
    })
  )
]
