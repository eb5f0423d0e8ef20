import { assert, describe, it } from "@effect/vitest"
import { judge, type StoredOrder, type StoredState } from "./judge.ts"
import type { Acknowledgement, Command, Entry } from "./ProofLog.ts"

const rex = 1

const sent = (call: number, command: Command): Entry => ({ type: "call", call, at: call, command })
const acknowledged = (call: number, value: Acknowledgement = {}): Entry => ({
  type: "acknowledged",
  call,
  at: call,
  value
})
const rejected = (call: number, code: string): Entry => ({ type: "rejected", call, at: call, code })
const failed = (call: number, code: string): Entry => ({ type: "failed", call, at: call, code })

const place: Command = { type: "place", petId: rex, quantity: 2 }
const complete: Command = { type: "complete", orderId: 5 }
const cancel: Command = { type: "cancel", orderId: 5 }
const receive: Command = { type: "receive", petId: rex, units: 3 }

const placed = [sent(1, place), acknowledged(1, { orderId: 5 })]
const order: StoredOrder = { id: 5, petId: rex, quantity: 2, complete: false, call: 1 }

const received = (...calls: ReadonlyArray<number>): StoredState["stocks"] => [
  { petId: rex, version: 4, received: calls.map((call) => ({ call, units: 3 })) }
]

/** What a judge says of a log on a cluster, beside a pet with ten units at the start. */
const verdict = (entries: ReadonlyArray<Entry>, found: Partial<StoredState>): ReadonlyArray<string> =>
  judge([{ type: "pet", petId: rex, units: 10 }, ...entries], {
    orders: [],
    stocks: received(),
    violations: [],
    primaries: ["n1"],
    ...found
  }).map(({ kind, message }) => `${kind}: ${message}`)

interface Case {
  readonly entries: ReadonlyArray<Entry>
  readonly found: Partial<StoredState>
}

const good: Readonly<Record<string, Case>> = {
  "an acknowledged order that is there": { entries: placed, found: { orders: [order] } },
  "a repeated call that returned the same order": {
    entries: [...placed, acknowledged(1, { orderId: 5 })],
    found: { orders: [order] }
  },
  "a completion": {
    entries: [...placed, sent(2, complete), acknowledged(2)],
    found: { orders: [{ ...order, complete: true }] }
  },
  "a completion without a result that took effect": {
    entries: [...placed, sent(2, complete), failed(2, "commit_unknown")],
    found: { orders: [{ ...order, complete: true }] }
  },
  "a cancellation": { entries: [...placed, sent(2, cancel), acknowledged(2)], found: {} },
  "a cancellation without a result that took effect": { entries: [...placed, sent(2, cancel)], found: {} },
  "a cancellation without a result that did not": {
    entries: [...placed, sent(2, cancel)],
    found: { orders: [order] }
  },
  "a cancellation of an order whose id another call has now": {
    entries: [...placed, sent(2, cancel), acknowledged(2), sent(3, place)],
    found: { orders: [{ ...order, call: 3 }] }
  },
  "an order without a result that is there": { entries: [sent(1, place)], found: { orders: [order] } },
  "an order without a result that is not": { entries: [sent(1, place)], found: {} },
  "an order that was rejected because the pet is sold out": {
    entries: [sent(1, { ...place, quantity: 11 }), rejected(1, "insufficient_stock")],
    found: {}
  },
  "stock that was received": {
    entries: [sent(1, receive), acknowledged(1, { version: 4 })],
    found: { stocks: received(1) }
  },
  "orders for all that was there and received": {
    entries: [sent(1, receive), ...[2, 3].flatMap((call) => [sent(call, { ...place, quantity: 6 })])],
    found: {
      stocks: received(1),
      orders: [2, 3].map((call) => ({ ...order, id: call, call, quantity: 6 }))
    }
  }
}

const bad: Readonly<Record<string, Case & { readonly says: ReadonlyArray<string> }>> = {
  "an acknowledged order that is gone": {
    entries: placed,
    found: {},
    says: ["lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is gone"]
  },
  "an acknowledged order that is gone though its cancellation was rejected": {
    entries: [...placed, sent(2, cancel), rejected(2, "not_found")],
    found: {},
    says: [
      "lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is gone",
      "unexpected: call 2 (cancel) was rejected with not_found"
    ]
  },
  "an acknowledged order that has other fields": {
    entries: placed,
    found: { orders: [{ ...order, quantity: 1 }] },
    says: ["lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is another one now"]
  },
  "an acknowledged order whose id another call has": {
    entries: [...placed, sent(2, place)],
    found: { orders: [{ ...order, call: 2 }] },
    says: ["lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is another one now"]
  },
  "an acknowledged order that is gone, and that the repeated call placed again": {
    entries: [...placed, acknowledged(1, { orderId: 6 })],
    found: { orders: [{ ...order, id: 6 }] },
    says: [
      "lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is gone; repeated, it placed order 6"
    ]
  },
  "an acknowledged order whose id another call had too, and cancelled": {
    entries: [...placed, sent(2, place), acknowledged(2, { orderId: 5 }), sent(3, cancel), acknowledged(3)],
    found: {},
    says: ["lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is gone"]
  },
  "an acknowledged completion of an order whose id another call had too, and completed": {
    entries: [
      ...[...placed, sent(2, complete), acknowledged(2)],
      ...[sent(3, place), acknowledged(3, { orderId: 5 }), sent(4, complete), acknowledged(4)]
    ],
    found: { orders: [{ ...order, call: 3, complete: true }] },
    says: [
      "lost: call 1 placed an order of 2 of pet 1; order 5 was acknowledged and is another one now",
      "lost: call 2 completed order 5; that was acknowledged and is undone"
    ]
  },
  "an acknowledged completion that is undone": {
    entries: [...placed, sent(2, complete), acknowledged(2)],
    found: { orders: [order] },
    says: ["lost: call 2 completed order 5; that was acknowledged and is undone"]
  },
  "an acknowledged cancellation that is undone": {
    entries: [...placed, sent(2, cancel), acknowledged(2)],
    found: { orders: [order] },
    says: ["lost: call 2 cancelled order 5; that was acknowledged and is undone"]
  },
  "received stock that is not in the ledger": {
    entries: [sent(1, receive), acknowledged(1, { version: 4 })],
    found: {},
    says: ["lost: call 1 added 3 to the stock of pet 1; that was acknowledged and is not in the ledger"]
  },
  "received stock that is not in the ledger of an older stock": {
    entries: [sent(1, receive), acknowledged(1, { version: 5 })],
    found: {},
    says: ["lost: call 1 added 3 to the stock of pet 1; that was acknowledged and is not in the ledger"]
  },
  "received stock with other units": {
    entries: [sent(1, { ...receive, units: 2 }), acknowledged(1, { version: 4 })],
    found: { stocks: received(1) },
    says: ["lost: call 1 added 2 to the stock of pet 1; the ledger has other units or another pet"]
  },
  "a stock that is older than acknowledged": {
    entries: [sent(1, receive), acknowledged(1, { version: 5 })],
    found: { stocks: received(1) },
    says: ["lost: call 1 added 3 to the stock of pet 1; version 5 of the stock was acknowledged, and it is at 4"]
  },
  "a pet that is gone": { entries: [], found: { stocks: [] }, says: ["lost: pet 1 was acknowledged and is gone"] },
  "two orders of one key": {
    entries: placed,
    found: { orders: [order, { ...order, id: 6 }] },
    says: ["doubled: call 1 placed an order of 2 of pet 1; its key placed the orders 5 and 6"]
  },
  "two orders of one key without a result": {
    entries: [sent(1, place)],
    found: { orders: [order, { ...order, id: 6 }] },
    says: ["doubled: call 1 placed an order of 2 of pet 1; its key placed the orders 5 and 6"]
  },
  "a repeated call that returned another order": {
    entries: [...placed, acknowledged(1, { orderId: 6 }), sent(2, { ...cancel, orderId: 6 })],
    found: { orders: [order] },
    says: ["doubled: call 1 placed an order of 2 of pet 1; its key placed the orders 5 and 6"]
  },
  "stock that was received twice with one key": {
    entries: [sent(1, receive), acknowledged(1, { version: 4 })],
    found: { stocks: received(1, 1) },
    says: ["doubled: call 1 added 3 to the stock of pet 1; the ledger has that 2 times"]
  },
  "more ordered than there was": {
    entries: [1, 2].map((call) => sent(call, { ...place, quantity: 6 })),
    found: { orders: [1, 2].map((call) => ({ ...order, id: call, call, quantity: 6, complete: call === 1 })) },
    says: ["oversold: pet 1 had 10 units, and 12 are reserved or sold"]
  },
  "a rejection that no client should get": {
    entries: [sent(1, place), rejected(1, "internal_error")],
    found: {},
    says: ["unexpected: call 1 (place) was rejected with internal_error"]
  },
  "a rejected order that is there": {
    entries: [sent(1, { ...place, quantity: 11 }), rejected(1, "insufficient_stock")],
    found: { orders: [order] },
    says: ["unexpected: call 1 was rejected with insufficient_stock, and has taken effect"]
  },
  "an order that was rejected although there was enough for all": {
    entries: [...placed, sent(2, { ...place, quantity: 8 }), rejected(2, "pet_not_available")],
    found: { orders: [order] },
    says: ["unexpected: call 2 was rejected as sold out, and pet 1 never was"]
  },
  "an order and stock of no call": {
    entries: [],
    found: { orders: [order, { ...order, id: 6, call: undefined }], stocks: received(7) },
    says: [
      "unexpected: order 5 belongs to no call",
      "unexpected: order 6 belongs to no call",
      "unexpected: the ledger has units of no call (7)"
    ]
  },
  "two servers that accept writes": {
    entries: [],
    found: { primaries: ["n1", "n2"] },
    says: ["unexpected: n1 and n2 accept writes, and each lacks what the others commit"]
  },
  "a broken invariant": {
    entries: [],
    found: { violations: ["the ledger adds up: 1 violations"] },
    says: ["invariant: the ledger adds up: 1 violations"]
  }
}

describe("the judgement of a proof", () => {
  for (const [name, { entries, found }] of Object.entries(good)) {
    it(`given ${name}, then it finds nothing`, () => {
      assert.deepStrictEqual(verdict(entries, found), [])
    })
  }

  for (const [name, { entries, found, says }] of Object.entries(bad)) {
    it(`given ${name}, then it says so and no more`, () => {
      assert.deepStrictEqual(verdict(entries, found), says)
    })
  }
})
