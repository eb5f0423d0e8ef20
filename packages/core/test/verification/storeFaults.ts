import { anOrderRecord } from "../../testing/src/builders.ts"
import { about, again, at, at0, change, changeAccount, changeKey, type Fault, start } from "./Fault.ts"

/** Faults of ids, times and the store itself. */
export const storeFaults: ReadonlyArray<Fault> = [
  {
    given: "the store reports a damaged page",
    damage: { problems: ["page 7 is damaged"] },
    found: { store_intact: [{ problem: "page 7 is damaged" }] }
  },
  {
    given: "two pets with one id",
    damage: { pets: (pets) => [...pets, ...pets.slice(-1)] },
    found: { ids_unique: [{ table: "pets", id: 5 }] }
  },
  {
    given: "an id beyond what JSON readers keep exact",
    damage: {
      apiKeys: changeKey(2, ({ key }) => ({ key: { ...key, id: 2 ** 53 } }))
    },
    found: {
      ids_unique: [{ table: "API keys", id: 2 ** 53 }],
      events_replay_api_keys: [{ subject: "apiKeys/2", problem: "there is no such row" }]
    }
  },
  {
    given: "an event whose time is no date",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, timestamp: "2026-02-30T09:30:00.000Z" })
      )
    },
    found: {
      times_valid: [{ seq: 3, timestamp: "2026-02-30T09:30:00.000Z" }],
      events_replay_categories: [
        { subject: "categories/3", createdAt: { found: start, expected: "2026-02-30T09:30:00.000Z" } }
      ]
    }
  },
  {
    given: "a movement whose time is in another form",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, at: "2026-05-04T09:30:00Z" })) },
    found: {
      times_valid: [{ petId: 2, seq: 2, at: "2026-05-04T09:30:00Z" }],
      movements_have_events: [
        {
          petId: 2,
          lastMovement: { at: "2026-05-04T09:30:00Z", onHand: 1, reserved: 0, held: true },
          lastEvent: { at: start, onHand: 1, reserved: 0, held: true }
        }
      ]
    }
  },
  {
    given: "an account without a time",
    damage: { accounts: changeAccount(2, { createdAt: "" }) },
    found: { times_valid: [{ accountId: 2, createdAt: "" }] }
  },
  {
    given: "an API key with invalid times",
    damage: {
      apiKeys: changeKey(1, ({ digest, key }) => ({
        key: { ...key, createdAt: "once", expiresAt: "never", lastUsedAt: "today" },
        previous: { digest, until: "tomorrow" }
      }))
    },
    found: {
      times_valid: [
        { keyId: 1, createdAt: "once", expiresAt: "never", lastUsedAt: "today", previousUntil: "tomorrow" }
      ],
      events_replay_api_keys: [
        {
          subject: "apiKeys/1",
          createdAt: { found: "once", expected: start },
          expiresAt: { found: "never", expected: null }
        }
      ]
    }
  },
  {
    given: "an id that a second order was given",
    damage: { events: again(about("orders/4")) },
    found: { ids_unique: [{ seq: 47, subject: "orders/4" }] }
  },
  {
    given: "an open order below all ids",
    damage: { orders: (orders) => [anOrderRecord({ id: -1, order: { state: "draft" } }), ...orders] },
    found: {
      ids_unique: [{ table: "orders", id: -1 }],
      events_replay_orders: [{ subject: "orders/-1", problem: "no event is about it" }]
    }
  },
  {
    given: "an event before the first",
    damage: { events: (events) => [{ ...at0(events), seq: 0 }, ...events] },
    found: {
      ids_unique: [{ seq: 1, subject: "categories/1" }],
      events_numbered: [{ seq: 0, expected: 1 }]
    }
  }
]
