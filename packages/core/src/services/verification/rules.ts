/** Every rule that verification checks, in the order of its report. */

import * as Schema from "effect/Schema"
import { messageAttempts, stateProblem } from "../../domain/MessageState.ts"
import { isOrderOwner } from "../../domain/OrderOwner.ts"
import { orderStates } from "../../domain/OrderState.ts"
import { Scope } from "../../domain/Scope.ts"
import { statusOf } from "../../domain/Stock.ts"
import { nameKey } from "../../domain/Text.ts"
import { newRoute, type WebhookRoute, webhookState } from "../../domain/Webhook.ts"
import type { WebhookState } from "../../domain/WebhookState.ts"
import { consumerProblem, parkedEventProblem } from "./consumerProblem.ts"
import { deliveryProblem, webhookProblem } from "./deliveryProblem.ts"
import { isConsistent, isOrderContent, isReplayable } from "./eventRules.ts"
import { compare, type Finding, type Row, sameFields } from "./Finding.ts"
import { importProblem } from "./importProblem.ts"
import { isEventId } from "./isEventId.ts"
import { canFollow, inBounds, namesOrder } from "./Ledger.ts"
import { messageStepProblem, replayedMessageProblem } from "./messageProblem.ts"
import type { Rule } from "./Rule.ts"
import {
  replayedCategory,
  replayedOrder,
  replayedPet,
  replayedStock,
  storedCategory,
  storedOrder,
  storedPet,
  storedStock
} from "./replayedRows.ts"
import { sameTrace, shownTrace } from "./StockTrace.ts"
import { fieldsOf } from "./StoredResults.ts"
import type { Subjects } from "./Subjects.ts"
import { isStoredTime } from "./storedTime.ts"
import { versionProblem } from "./versionProblem.ts"

/** An endpoint that is failing from a time ahead on would not be disabled before that. */
const isTime = (name: string, time: string | undefined, latest: string): boolean =>
  time === undefined || (isStoredTime(time) && (name !== "failingSince" || time <= latest))

const isId = (id: number | string): boolean => (typeof id === "string" ? id !== "" : Number.isSafeInteger(id) && id > 0)

const areScopes = Schema.is(Schema.NonEmptyArray(Scope))

/** Compares a row with the resource that its events show. */
const compareReplayed = (table: string, id: number, found: Row | undefined, expected: Row | undefined): Finding => {
  if (found !== undefined && expected !== undefined && sameFields(found, expected)) return true
  const subject = `${table}/${id}`
  if (found === undefined) return { subject, problem: "there is no such row" }
  return expected === undefined ? { subject, problem: "no event is about it" } : compare({ subject }, found, expected)
}

/** Compares the rows of a table that have ended with what is kept of their events. */
const ofTable =
  (table: string) =>
  ({ expected, found, rows, table: of }: Subjects["settled"]): Finding =>
    of === table ? compare({ rows }, { ...found }, { ...expected }) : undefined

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

export const rules: readonly [storeIntact: Rule, secretsReadable: Rule, ...ofRows: ReadonlyArray<Rule>] = [
  {
    name: "store_intact",
    demands:
      "The store itself is intact: no damaged page, no broken reference, no index that differs from its rows, no table, index or trigger that is missing or altered, no event id used twice, no event missing that was recorded beside the file; accounts and API keys match the log of their changes.",
    check: { damage: (problem) => problem === undefined || { problem } }
  },
  {
    name: "secrets_readable",
    demands:
      "What is encrypted of a webhook can be decrypted with the keys of the petstore that verifies. Not checked without a key.",
    check: { decrypted: ({ problem, webhookId }) => problem === undefined || { webhookId, problem } }
  },
  {
    name: "ids_unique",
    demands: "An id is used for one row only, deleted rows included, and one event creates it.",
    check: {
      row: ({ before, id, table }) => (isId(id) && (before === undefined || id > before)) || { table, id },
      change: ({ before, does, event: { seq, subject } }) =>
        does.what === "creates" ? before === undefined || { seq, subject } : undefined
    }
  },
  {
    name: "times_valid",
    demands:
      "The times of events, movements, idempotency keys, imports, consumers, parked events, accounts, API keys, webhooks and deliveries are dates that exist, in UTC with milliseconds. No endpoint is failing since a time ahead.",
    check: {
      times: ({ row, times }, latest) => {
        let isRight = true
        for (const name in times) isRight &&= isTime(name, times[name], latest)
        const wrong = () => Object.entries(times).filter(([name, time]) => !isTime(name, time, latest))
        return isRight || { ...row, ...Object.fromEntries(wrong()) }
      }
    }
  },
  {
    name: "category_names",
    demands: "No two categories have the same name, ignoring case and the encoding of characters.",
    check: {
      category: ({ found, record: { category, deleted, nameKey: key } }) => {
        const { id: categoryId, name } = category
        if (key !== nameKey(name)) return { categoryId, name, comparedAs: key }
        return deleted || found?.category.id === categoryId || { categoryId, name, sameAs: found?.category.id ?? null }
      }
    }
  },

  {
    name: "stock_in_bounds",
    demands:
      "A pet has at least as many units on hand as are reserved, neither is below zero, and only a pet with units on hand is held.",
    check: {
      pet: ({ record: { id: petId, stock } }) =>
        (inBounds(stock) && (!stock.held || stock.onHand > 0)) || {
          petId,
          onHand: stock.onHand,
          reserved: stock.reserved,
          held: stock.held
        }
    }
  },
  {
    name: "one_status",
    demands: "A pet is listed under the one status that its stock gives, and a deleted pet under none.",
    check: {
      listing: ({ listed, petId, record }) => {
        if (record === undefined) return { petId, listed }
        const expected = record.deleted ? undefined : statusOf(record.stock)
        return listed === expected || compare({ petId }, { listed }, { listed: expected })
      }
    }
  },
  {
    name: "deleted_pets_empty",
    demands: "A deleted pet has no stock.",
    check: {
      pet: ({ record: { deleted, id: petId, stock } }) => {
        const { held, onHand, reserved } = stock
        if (!deleted) return undefined
        return (onHand === 0 && reserved === 0 && !held) || { petId, onHand, reserved, held }
      }
    }
  },
  {
    name: "pet_categories",
    demands: "The category of a pet exists. It may be deleted only if the pet is.",
    check: {
      petOfCategory: ({ category, categoryId, deleted, petId }) =>
        (category !== undefined && (!category.deleted || deleted)) || { petId, categoryId }
    }
  },

  {
    name: "order_contents",
    demands:
      "A draft has no pet; an open order has a pet and a quantity of 1 or more; a complete one has a ship date too.",
    check: { order: ({ id: orderId, order }) => isOrderContent(order) || { orderId, ...order } }
  },
  {
    name: "order_owners",
    demands: "An order belongs to nobody, to an account, or to one user of an account.",
    check: { order: ({ id: orderId, owner }) => owner === undefined || isOrderOwner(owner) || { orderId, owner } }
  },
  {
    name: "order_pets",
    demands:
      "The pet of an order exists, and is not deleted while the order is open, nor was it when the order was placed or changed.",
    check: {
      orderOfPet: ({ order: { orderId, petId, state }, pet }) =>
        (pet !== undefined && !(pet.deleted && orderStates[state]?.units === "reserved")) || { orderId, petId, state },
      orderEventOfPet: ({ event: { orderId, petId, seq, type }, pet }) =>
        (pet !== undefined && pet.end === undefined) || { seq, type, orderId, petId }
    }
  },
  {
    name: "reserved_for_open_orders",
    demands: "The reserved units of a pet are the units of its open orders, no more and no less.",
    check: {
      pet: ({ openUnits, record: { id: petId, stock } }) =>
        stock.reserved === openUnits || compare({ petId }, { reserved: stock.reserved }, { reserved: openUnits })
    }
  },

  {
    name: "ledger_numbered",
    demands: "The movements of a pet are numbered 1, 2, 3 and so on, up to the last movement that the pet's row names.",
    check: {
      movement: ({ before: { last }, movement: { petId, seq } }) =>
        seq === last + 1 || { petId, seq, expected: last + 1 },
      pet: ({ ledger: { last }, record: { id: petId, lastMovement } }) =>
        last > 0
          ? lastMovement === last || compare({ petId }, { lastMovement }, { lastMovement: last })
          : { petId, lastMovement, problem: "it has no movement" }
    }
  },
  {
    name: "ledger_adds_up",
    demands: "The stock of a pet, its hold included, is what its movements add up to.",
    check: {
      pet: ({ ledger, record: { id: petId, stock } }) =>
        sameFields(stock, ledger.stock) || compare({ petId }, { ...stock }, { ...ledger.stock })
    }
  },
  {
    name: "never_oversold",
    demands: "After every movement, at least as many units were on hand as were reserved, and neither was below zero.",
    check: {
      movement: ({ after, movement: { petId, seq } }) =>
        inBounds(after) || { petId, seq, onHand: after.onHand, reserved: after.reserved }
    }
  },
  {
    name: "movements_fit",
    demands:
      "A movement changes only what its kind allows, in a state that allows it. The first movement is initial; the last movement of a deleted pet, and of no other, is its removal.",
    check: {
      movement: ({ before, movement }) => canFollow(movement, before) || { ...movement, before: before.stock },
      pet: ({ ledger, record: { deleted, id: petId } }) =>
        deleted === ledger.removed || compare({ petId }, { deleted }, { deleted: ledger.removed })
    }
  },
  {
    name: "movements_known",
    demands: "A movement has a pet that exists, an order that exists if it is of a kind for orders, and an actor.",
    check: {
      movement: ({ movement, pet }) =>
        (namesOrder(movement) && pet !== undefined && movement.actor !== "") || { ...movement },
      movementOfOrder: ({ movement, order }) => (order === undefined ? { ...movement } : undefined)
    }
  },
  {
    name: "movements_have_events",
    demands:
      "The events of the stock of a pet show all of its movements: when they happened, and the stock after them.",
    check: {
      pet: ({ ledger, record: { id: petId }, trace }) =>
        sameTrace(ledger.trace, trace) || {
          petId,
          lastMovement: shownTrace(ledger.trace),
          lastEvent: shownTrace(trace)
        }
    }
  },
  {
    name: "order_movements",
    demands:
      "The movements of an order add up to its state: its quantity reserved while it is open, shipped once it is complete, and nothing otherwise or on another pet.",
    check: {
      orderEffect: ({ effect: { onHand, reserved }, order, orderId, petId }) => {
        const units = order === undefined ? "none" : orderStates[order.state]?.units
        const quantity = order?.quantity ?? 0
        const expected = {
          onHand: units === "shipped" ? 0 - quantity : 0,
          reserved: units === "reserved" ? quantity : 0
        }
        return (
          (onHand === expected.onHand && reserved === expected.reserved) ||
          compare({ orderId, petId }, { onHand, reserved }, expected)
        )
      }
    }
  },
  {
    name: "order_closed_once",
    demands:
      "A complete order was shipped once, a cancelled order with a pet was cancelled once, each by its last movement; no other order was shipped or cancelled.",
    check: {
      orderEffect: ({ effect: { closed, late }, order, orderId, petId }) => {
        const end = order?.petId === undefined ? undefined : orderStates[order.state]?.end
        return (
          (closed === end?.movement && late === undefined) ||
          compare({ orderId, petId }, { closed, late }, { closed: end?.movement, late: undefined })
        )
      }
    }
  },

  {
    name: "events_numbered",
    demands: "The events are numbered 1, 2, 3 and so on, without a gap, from the first that is kept.",
    check: { eventNumber: ({ expectedSeq, seq }) => seq === expectedSeq || { seq, expected: expectedSeq } }
  },
  {
    name: "checkpoints_whole",
    demands: "What is kept of events that were removed is as it was written.",
    check: {
      checkpoint: ({ problem, subject }) => problem === undefined || { subject, problem },
      checkpoints: ({ expected, found }) => compare({}, { ...found }, { ...expected })
    }
  },
  {
    name: "events_consistent",
    demands:
      "An event is about the resource whose data it carries. The data is whole, and the status, free units and completion in it follow from the rest.",
    check: {
      event: (event) => {
        const { seq, subject, type } = event
        return (isReplayable(event) && isConsistent(event)) || { seq, type, subject }
      }
    }
  },
  {
    name: "event_ids",
    demands: "The id of an event has the form of one, and is not older than the time of the event.",
    check: { event: ({ id, seq, timestamp }) => isEventId(id, timestamp) || { seq, id, timestamp } }
  },
  {
    name: "event_statuses",
    demands:
      "The status in an event of a pet is the one that the events of its stock give, and so is the previous status.",
    check: {
      status: (step) => {
        if (step.by === "nothing") return { petId: step.petId, status: step.announced }
        const { petId, seq, status, type } = step.event
        if (step.by === "status change") {
          const { previous } = step
          const { before, now } = step.known
          return (
            (status === now && previous === before) ||
            compare({ seq, type, petId }, { status, previous }, { status: now, previous: before })
          )
        }
        const { announced } = step
        const holds = announced === undefined || (step.by === "stock" && announced === status)
        return holds || { seq, type, petId, status, statusOfPet: announced }
      }
    }
  },
  {
    name: "event_versions",
    demands:
      "The first event of a resource creates it, in version 1. The version grows by one when, and only when, callers see the resource change. No event repeats the one before.",
    check: { change: versionProblem }
  },
  {
    name: "ends_are_final",
    demands:
      "No event follows the deletion of a pet, a category or a webhook, or the completion or cancellation of an order.",
    check: {
      change: ({ before, does, event: { seq, subject, type } }) =>
        does.what === "creates" || before === undefined
          ? undefined
          : before.end === undefined || { seq, type, subject, after: before.end }
    }
  },
  {
    name: "events_replay_categories",
    demands: "Replaying the events gives every category as it is, its version included.",
    check: {
      replayedCategory: ({ id, record, replayed }) =>
        compareReplayed("categories", id, record && storedCategory(record), replayed && replayedCategory(replayed)),
      settled: ofTable("categories")
    }
  },
  {
    name: "events_replay_pets",
    demands: "Replaying the events gives every pet as it is, its version included.",
    check: {
      replayedPet: ({ id, record, replayed }) =>
        compareReplayed("pets", id, record && storedPet(record), replayed && replayedPet(replayed)),
      settled: ofTable("pets")
    }
  },
  {
    name: "events_replay_inventory",
    demands: "Replaying the events gives the stock of every pet as it is, its hold and its version included.",
    check: {
      replayedStock: ({ id, record, replayed }) =>
        compareReplayed("inventory", id, record && storedStock(record), replayed && replayedStock(replayed)),
      settled: ofTable("pets")
    }
  },
  {
    name: "events_replay_orders",
    demands: "Replaying the events gives every order as it is, its version included.",
    check: {
      replayedOrder: ({ id, record, replayed }) =>
        compareReplayed("orders", id, record && storedOrder(record), replayed && replayedOrder(replayed)),
      settled: ofTable("orders")
    }
  },

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
  },

  {
    name: "messages_have_events",
    demands:
      "A message is as its latest event shows it, and is there until it is deleted. It is queued first, and again only after it failed; only a queued message fails, only a queued or failed one is delivered, and only a delivered one is deleted.",
    check: {
      message: replayedMessageProblem,
      messageStep: messageStepProblem,
      foldedMessage: ({ digest, expected, messageId }) => compare({ messageId }, { digest }, { digest: expected })
    }
  },
  {
    name: "message_attempts",
    demands:
      "A message has begun no more attempts than it was claimed, and at most ten. Only a queued one has a lease, or a time when it is due, and never both; only one that was delivered or failed has the time of that; a delivered one has no error.",
    check: {
      messageRow: (record) => {
        const problem =
          stateProblem(record) ??
          (record.attempts > messageAttempts ? `A message has at most ${messageAttempts} attempts` : undefined)
        return problem === undefined || { messageId: record.id, problem }
      }
    }
  },
  {
    name: "idempotency_results",
    demands:
      "The stored result of an idempotency key is that of one creation, and not stored after it; or has the form of what a change or deletion returns. A key of an account has one result, and a creation has one key.",
    check: {
      storedResult: ({ creation, record }) => {
        const { accountId, createdAt, key, operation } = record
        if (creation === undefined) return { accountId, key, operation }
        const found = fieldsOf(record) ?? {}
        const expected = creation.result
        const same = compare(
          { accountId, key, operation },
          Object.fromEntries(
            [...new Set([...Object.keys(found), ...Object.keys(expected)])].sort().map((field) => [field, found[field]])
          ),
          expected
        )
        if (createdAt <= creation.at) return same
        return {
          ...(same === true ? { accountId, key, operation } : same),
          createdAt: { found: createdAt, expected: creation.at }
        }
      }
    }
  },

  {
    name: "account_names",
    demands: "No two accounts have the same name, ignoring case.",
    check: {
      account: ({ account: { id: accountId, name }, found }) =>
        found?.id === accountId || { accountId, name, foundByName: found?.id ?? null }
    }
  },
  {
    name: "api_key_accounts",
    demands: "An API key belongs to an account that exists.",
    check: {
      apiKey: ({ account, key: { accountId, id: keyId } }) => account !== undefined || { keyId, accountId }
    }
  },
  {
    name: "api_key_scopes",
    demands: "An API key has one or more scopes, and all of them exist.",
    check: { apiKey: ({ key: { id: keyId, scopes } }) => areScopes(scopes) || { keyId, scopes } }
  },
  {
    name: "import_batches",
    demands:
      "The batches of an imported file are numbered 1, 2, 3 and so on, and those of a run count its rows from zero to its end.",
    check: {
      importBatch: ({ batch, before }) => {
        const problem = importProblem(before, batch)
        return problem === undefined || { file: batch.file, seq: batch.seq, problem }
      }
    }
  },
  {
    name: "consumers_valid",
    demands:
      "A consumer has a position in the log, types that exist, a lease only with its holder, and a failure for each failed attempt.",
    check: {
      consumer: ({ consumer, latest }) => {
        const problem = consumerProblem(consumer, latest)
        return problem === undefined || { consumer: consumer.name, problem }
      }
    }
  },
  {
    name: "parked_events_passed",
    demands: "A parked event has failed, and its consumer is past it.",
    check: {
      parkedEvent: ({ consumer, event }) => {
        const problem = parkedEventProblem(event, consumer)
        return problem === undefined || { consumer: event.consumer, seq: event.seq, problem }
      }
    }
  }
]
