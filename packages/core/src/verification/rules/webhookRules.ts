/** Endpoints of webhooks, and deliveries to them. */

import { newRoute, type WebhookRoute, webhookState } from "../../webhooks/Webhook.ts"
import type { WebhookState } from "../../webhooks/WebhookState.ts"
import { deliveryProblem, webhookProblem } from "../deliveryProblem.ts"
import { compare, compareReplayed, type Row } from "../Finding.ts"
import type { Rule } from "../Rule.ts"

/** Lists compare by their text; damaged ones are shown as they are. */
const shownList = (list: unknown): unknown => (Array.isArray(list) ? list.join(" ") : list)

const shownWebhook = ({ types, ...state }: WebhookState): Row => ({
  types: shownList(types),
  description: state.description,
  ordered: state.ordered,
  concurrency: state.concurrency,
  enabled: state.enabled,
  disabledReason: state.disabledReason,
  disabledAt: state.disabledAt,
  createdAt: state.createdAt
})

const shownRoute = ({ after, enabled, types }: WebhookRoute): Row => ({ after, enabled, types: shownList(types) })

export const webhookRules: ReadonlyArray<Rule> = [
  {
    name: "events_replay_webhooks",
    demands:
      "Replaying the events gives every endpoint of webhooks as it is, its version included, except for its URL and secrets.",
    check: {
      replayedWebhook: ({ id, record, replayed }) => {
        const found = record && {
          ...shownWebhook(webhookState(record.webhook)),
          version: record.version,
          end: record.deleted ? "webhook.deleted" : undefined
        }
        return compareReplayed(
          "webhooks",
          id,
          found,
          replayed && { ...shownWebhook(replayed.data), version: replayed.data.version, end: replayed.end }
        )
      }
    }
  },
  {
    name: "webhooks_whole",
    demands: "An endpoint of webhooks has a URL, a secret, and a limit of requests at the same time.",
    check: {
      webhook: (record) => {
        const problem = webhookProblem(record)
        return problem === undefined || { webhookId: record.webhook.id, problem }
      }
    }
  },
  {
    name: "webhook_routes",
    demands:
      "Deliveries to an endpoint are made for the events up to one that exists, by the state of the endpoint at the time of each event.",
    check: {
      route: ({ latest, replayed, stored, webhookId }) =>
        compare({ webhookId }, shownRoute(stored), shownRoute(replayed ?? newRoute(Math.min(stored.after, latest))))
    }
  },
  {
    name: "events_delivered",
    demands:
      "Every event has one delivery to each endpoint that gets it, from when deliveries to the endpoint were made for it.",
    check: {
      routedEvent: ({ event: { seq, type }, isDelivered, webhookId }) => isDelivered || { seq, type, webhookId }
    }
  },
  {
    name: "deliveries_have_events",
    demands: "A delivery is of an event that exists, and names its id, type and subject.",
    check: {
      deliveredEvent: ({ delivery: { eventId, id: deliveryId, seq, subject, type }, event }) =>
        event === undefined
          ? { deliveryId, seq, problem: "there is no such event" }
          : compare(
              { deliveryId, seq },
              { eventId, type, subject },
              { eventId: event.id, type: event.type, subject: event.subject }
            )
    }
  },
  {
    name: "deliveries_whole",
    demands: "A delivery is pending, or it has ended with its last attempt: delivered by a response of 2xx, or failed.",
    check: {
      delivery: (record) => {
        const problem = deliveryProblem(record)
        return problem === undefined || { deliveryId: record.delivery.id, problem }
      }
    }
  }
]
