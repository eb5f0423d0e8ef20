import { assert, describe, it } from "@effect/vitest"
import { anInventoryItem, aPet } from "@petstore/testing"
import { untyped } from "../../../testing/src/untyped.ts"
import type { NewEvent } from "../../domain/events/Event.ts"
import { isConsistent } from "./eventRules.ts"

const at = "2026-05-04T09:30:00.000Z"

const pet = { ...aPet({ status: "pending" }), version: 2 }
const stock = { ...anInventoryItem({ onHand: 3, reserved: 1 }), held: false, version: 1 }
const order = { id: 1, petId: 1, quantity: 1, complete: false, state: "open", version: 1 } as const
const complete = { ...order, shipDate: at, complete: true, state: "complete" } as const
const earlier = "2026-05-04T09:00:00.000Z"
const apiKey = { id: 1, accountId: 1, name: "Till", scopes: ["pets:read"], createdAt: at } as const
const webhook = {
  id: 1,
  url: "https://example.com/hook",
  concurrency: 1,
  ordered: false,
  enabled: true,
  createdAt: at,
  version: 1
} as const
const message = { id: "msg_1", message: "Hello", createdAt: at } as const

const consistent: ReadonlyArray<NewEvent> = [
  { type: "category.created", subject: "categories/1", data: { id: 1, name: "Dogs", version: 1 } },
  { type: "category.updated", subject: "categories/1", data: { id: 1, name: "Dogs", version: 2 } },
  { type: "category.deleted", subject: "categories/1", data: { id: 1 } },
  { type: "pet.created", subject: "pets/1", data: pet },
  { type: "pet.updated", subject: "pets/1", data: pet },
  { type: "pet.status_changed", subject: "pets/1", data: { ...pet, previous: "available" } },
  { type: "pet.deleted", subject: "pets/1", data: { id: 1 } },
  { type: "inventory.updated", subject: "inventory/1", data: stock },
  { type: "order.placed", subject: "orders/1", data: order },
  { type: "order.placed", subject: "orders/1", data: complete },
  { type: "order.updated", subject: "orders/1", data: order },
  { type: "order.completed", subject: "orders/1", data: complete },
  { type: "order.cancelled", subject: "orders/1", data: { id: 1 } },
  { type: "message.queued", subject: "messages/msg_1", data: { ...message, status: "queued" } },
  { type: "message.delivered", subject: "messages/msg_1", data: { ...message, status: "delivered", deliveredAt: at } },
  {
    type: "message.failed",
    subject: "messages/msg_1",
    data: { ...message, status: "failed", failedAt: at, lastError: "No connection" }
  },
  { type: "message.deleted", subject: "messages/msg_1", data: { id: "msg_1" } },
  { type: "pet.record_updated", subject: "pets/1", data: { id: 1, externalId: "A-1", metadata: { chip: "276" } } },
  { type: "webhook.created", subject: "webhooks/1", data: webhook },
  { type: "apiKey.created", subject: "apiKeys/1", data: apiKey },
  { type: "apiKey.rotated", subject: "apiKeys/1", data: { ...apiKey, createdAt: earlier, expiresAt: at } },
  { type: "apiKey.revoked", subject: "apiKeys/1", data: { ...apiKey, createdAt: earlier } }
]

const inconsistent: ReadonlyArray<NewEvent> = [
  ...consistent.map((event): NewEvent => ({ ...event, subject: `${event.subject}0` })),
  { type: "pet.status_changed", subject: "pets/1", data: { ...pet, previous: "pending" } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, status: "pending" } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, available: 3 } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, held: true } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, version: 0 } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, held: untyped(undefined) } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, quantity: 2.5 } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, reserved: untyped("0") } },
  { type: "inventory.updated", subject: "inventory/1", data: { ...stock, reason: untyped("eaten") } },
  { type: "order.placed", subject: "orders/1", data: { ...order, complete: true } },
  { type: "order.placed", subject: "orders/1", data: { ...complete, complete: false } },
  { type: "order.updated", subject: "orders/1", data: { ...order, state: "cancelled" } },
  { type: "order.completed", subject: "orders/1", data: { ...complete, complete: false } },
  { type: "order.completed", subject: "orders/1", data: { ...complete, state: "open" } },
  { type: "message.queued", subject: "messages/msg_1", data: { ...message, status: "failed" } },
  { type: "message.delivered", subject: "messages/msg_1", data: { ...message, status: "delivered" } },
  { type: "message.failed", subject: "messages/msg_1", data: { ...message, status: "failed", failedAt: at } },
  { type: "pet.created", subject: "pets/1", data: { ...pet, name: "" } },
  { type: "pet.updated", subject: "pets/1", data: { ...pet, categoryId: 0 } },
  { type: "category.created", subject: "categories/1", data: { id: 1, name: "", version: 1 } },
  { type: "category.updated", subject: "categories/1", data: { id: 1, name: "Dogs", version: 0 } },
  { type: "pet.created", subject: "pets/1", data: { ...pet, status: untyped("lost") } },
  { type: "pet.created", subject: "pets/1", data: { ...pet, version: 0 } },
  {
    type: "category.created",
    subject: "categories/1",
    data: { id: 1, name: "Dogs", description: untyped(1), version: 1 }
  },
  { type: "order.placed", subject: "orders/1", data: { ...order, quantity: 0 } },
  { type: "order.placed", subject: "orders/1", data: { ...order, quantity: untyped(undefined) } },
  { type: "order.placed", subject: "orders/1", data: untyped({ ...order, expiresAt: "soon" }) },
  { type: "order.placed", subject: "orders/1", data: { ...order, version: 0 } },
  { type: "order.placed", subject: "orders/1", data: { ...order, version: 1.5 } },
  { type: "order.placed", subject: "orders/1", data: untyped({ ...complete, shipDate: "soon" }) },
  { type: "pet.record_updated", subject: "pets/1", data: { id: 1, externalId: "", metadata: {} } },
  { type: "pet.record_updated", subject: "pets/1", data: untyped({ id: 1, metadata: { chip: 276 } }) },
  { type: "webhook.created", subject: "webhooks/1", data: { ...webhook, version: 0 } },
  { type: "webhook.created", subject: "webhooks/1", data: untyped({ ...webhook, concurrency: "all" }) },
  { type: "apiKey.created", subject: "apiKeys/1", data: { ...apiKey, createdAt: earlier } },
  { type: "apiKey.rotated", subject: "apiKeys/1", data: { ...apiKey, scopes: untyped(["pets:eat"]) } }
]

const recorded = (event: NewEvent) => ({ ...event, seq: 1, id: "evt_1", timestamp: at })

describe("events_consistent", () => {
  for (const event of consistent) {
    it(`takes ${JSON.stringify(event)}`, () => assert.isTrue(isConsistent(recorded(event))))
  }

  for (const event of inconsistent) {
    it(`reports ${JSON.stringify(event)}`, () => assert.isFalse(isConsistent(recorded(event))))
  }
})
