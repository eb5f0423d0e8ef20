import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const engine = `${core}/engine/Table.ts`
const rows = `${core}/adapter-toolkit/SynchronousRows.ts`

/** What descriptions of tables promise, and how stores keep it. */
export const tables: Subject = {
  name: "tables",
  suite: {
    tests: [
      `${core}/memory/{memory,storage.contract}.test.ts`,
      `${core}/petstore/{createPetstore,rules}.test.ts`,
      `${core}/access/ApiKeys.test.ts`,
      `${core}/idempotency/once.test.ts`,
      `${core}/webhooks/dispatch.test.ts`,
      "packages/adapters/src/sqlite/storage.contract.test.ts",
      "packages/adapters/src/sql/*.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/pets/petTable.ts`, "  problemOf: ({ deleted, stock }) => {", "  copy: ({ deleted, stock }) => {"],
    [`${core}/pets/petTable.ts`, 'references: { category_id: "categories" },\n', ""],
    [`${core}/pets/petTable.ts`, "[afterName, after]", "[afterName]"],
    [`${core}/pets/petTable.ts`, "before: afterPrefix(name)", "before: undefined"],
    [
      `${core}/pets/petTable.ts`,
      "onHand: one.stock.onHand, reserved: one.stock.reserved",
      "onHand: one.stock.reserved, reserved: one.stock.onHand"
    ],
    [`${core}/orders/orderTable.ts`, "live: visible", "live: []"],
    [`${core}/inventory/movementTable.ts`, '  numberedBy: "pet_id",\n', ""],
    [`${core}/orders/orderTable.ts`, "  problemOf: ({ order: content }) => fieldProblem(content),\n", ""],
    [`${core}/consumers/consumerTables.ts`, '  existing: "kept",\n', ""],
    [`${core}/messages/messageTable.ts`, '{ index: "leased", after: [longestLease] },', ""],
    [`${core}/messages/messageTable.ts`, '{ index: "due", after: [longestDelay] }', ""],
    [`${core}/messages/messageTable.ts`, 'sql: "coalesce(due_at, created_at)"', 'sql: "created_at"'],
    [`${core}/messages/messageTable.ts`, "dueAt ?? createdAt", "createdAt"],
    [`${core}/webhooks/webhookTables.ts`, "after: [after], to: through", "after: [after]"],
    [`${core}/access/accessTables.ts`, 'apiKey.bytes("previous?.digest")', 'apiKey.bytes("digest")'],
    [engine, "left - right : isSurrogate(left) ? 1 : -1", "left - right : left - right"],
    [engine, "return Number.NEGATIVE_INFINITY", "return Number.POSITIVE_INFINITY"],
    [engine, "if (value instanceof Uint8Array) return value.slice()", "if (value instanceof Uint8Array) return value"],
    [rows, "(isReversed ? ascending.toReversed() : ascending).slice(0, limit)", "found.slice(0, limit)"]
  ]
}
