import type { IdempotencyRecord } from "../../src/tables/idempotencyTable.ts"
import { type Alter, change, type Fault, start } from "./Fault.ts"

const resultOf = (key: string, changed: (record: IdempotencyRecord) => IdempotencyRecord): Alter<IdempotencyRecord> =>
  change((record) => record.key === key, changed)

/** The stored result of a pet or order with another value in one field than in its event. */
const changedResult = (
  key: "open" | "rex",
  field: string,
  found: unknown,
  expected: unknown
): Pick<Fault, "damage" | "found"> => ({
  damage: {
    idempotency: resultOf(key, (record) => ({
      ...record,
      result: JSON.stringify({ ...JSON.parse(record.result), [field]: found })
    }))
  },
  found: {
    idempotency_results: [
      { accountId: 0, key, operation: key === "rex" ? "pets.create" : "orders.place", [field]: { found, expected } }
    ]
  }
})

/** Faults of the stored results of idempotency keys. */
export const idempotencyFaults: ReadonlyArray<Fault> = [
  {
    given: "a stored result with a pet that was never created",
    damage: {
      idempotency: change(
        ({ key }) => key === "rex",
        (record) => ({ ...record, result: '{"id":99}' })
      )
    },
    found: { idempotency_results: [{ accountId: 0, key: "rex", operation: "pets.create" }] }
  },
  ...["null", "7", "{}", "{", '{"id":"1"}', '{"id":null}'].map(
    (result): Fault => ({
      given: `the stored result ${result} of a pet`,
      damage: {
        idempotency: change(
          ({ key }) => key === "rex",
          (record) => ({ ...record, result })
        )
      },
      found: { idempotency_results: [{ accountId: 0, key: "rex", operation: "pets.create" }] }
    })
  ),
  ...["accounts.create", "categories.create", "messages.enqueue", "orders.place", "keys.create"].map(
    (operation): Fault => ({
      given: `a stored result of ${operation} with an id that it never created`,
      damage: {
        idempotency: change(
          ({ key }) => key === "rex",
          (record) => ({ ...record, operation, result: '{"id":99}' })
        )
      },
      found: { idempotency_results: [{ accountId: 0, key: "rex", operation }] }
    })
  ),
  ...[
    ["pets.update", '{"id":1}'],
    ["orders.cancel", "{}"],
    ["orders.cancel", '{"id":0}'],
    ["inventory.set", '{"petId":1,"quantity":-1,"status":"available","version":1}']
  ].map(
    ([operation = "", result = ""]): Fault => ({
      given: `the stored result ${result} of ${operation}`,
      damage: { idempotency: resultOf("rex", (record) => ({ ...record, operation, result })) },
      found: { idempotency_results: [{ accountId: 0, key: "rex", operation }] }
    })
  ),
  ...[
    { accountId: -1, key: "cats", operation: "categories.create" },
    { accountId: 0.5, key: "shop", operation: "accounts.create" }
  ].map(
    (row): Fault => ({
      given: `a stored result of the account ${row.accountId}`,
      damage: { idempotency: resultOf(row.key, (record) => ({ ...record, accountId: row.accountId })) },
      found: { idempotency_results: [row] }
    })
  ),
  { given: "a stored result with another name of a pet", ...changedResult("rex", "name", "Max", "Rex") },
  { given: "a stored result with another version of a pet", ...changedResult("rex", "version", 2, 1) },
  { given: "a stored result with another pet of an order", ...changedResult("open", "petId", 2, 1) },
  { given: "a stored result with another quantity of an order", ...changedResult("open", "quantity", 1, 2) },
  { given: "a stored result with a field that the order never had", ...changedResult("open", "colour", "red", null) },
  {
    given: "a second key with the result of an order",
    damage: {
      idempotency: (records) =>
        records.flatMap((record) => (record.key === "open" ? [record, { ...record, key: "open2" }] : [record]))
    },
    found: { idempotency_results: [{ accountId: 0, key: "open2", operation: "orders.place" }] }
  },
  {
    given: "a result that was stored after its creation",
    damage: { idempotency: resultOf("rex", (record) => ({ ...record, createdAt: "2026-05-04T09:30:00.000Z" })) },
    found: {
      idempotency_results: [
        {
          accountId: 0,
          key: "rex",
          operation: "pets.create",
          createdAt: { found: "2026-05-04T09:30:00.000Z", expected: start }
        }
      ]
    }
  },
  {
    given: "a stored result without a time",
    damage: { idempotency: resultOf("rex", (record) => ({ ...record, createdAt: "" })) },
    found: { times_valid: [{ accountId: 0, key: "rex", createdAt: "" }] }
  },
  ...["", "rex ", "größer"].map(
    (key): Fault => ({
      given: `a stored result of the idempotency key ${JSON.stringify(key)}`,
      damage: {
        idempotency: (records) =>
          records
            .map((record) => (record.key === "rex" ? { ...record, key } : record))
            .sort((a, b) => (a.key < b.key ? -1 : 1))
      },
      found: { idempotency_results: [{ accountId: 0, key, operation: "pets.create" }] }
    })
  ),
  {
    given: "two stored results of one idempotency key",
    damage: {
      idempotency: (records) => records.flatMap((record) => (record.key === "shop" ? [record, record] : [record]))
    },
    found: { idempotency_results: [{ accountId: 0, key: "shop", operation: "accounts.create" }] }
  },
  {
    given: "two results of a deletion with one idempotency key",
    damage: {
      idempotency: (records) =>
        records.flatMap((record) => {
          const deletion = { ...record, key: "shop-1", operation: "categories.delete", result: '{"id":3}' }
          return record.key === "shop" ? [record, deletion, deletion] : [record]
        })
    },
    found: { idempotency_results: [{ accountId: 0, key: "shop-1", operation: "categories.delete" }] }
  }
]
