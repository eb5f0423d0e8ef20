import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const engine = `${core}/kernel/Table.ts`
const rows = `${core}/adapter-toolkit/SynchronousRows.ts`

/** What descriptions of tables promise, and how stores keep it. */
export const tables: Subject = {
  name: "tables",
  suite: {
    tests: [
      `${core}/memory/{memory,storage.contract}.test.ts`,
      `${core}/petstore/{createPetstore,rules}.test.ts`,
      `${core}/programs/access/ApiKeys.test.ts`,
      `${core}/programs/idempotency/once.test.ts`,
      `${core}/runtime/webhooks/dispatch.test.ts`,
      "packages/adapters/src/sqlite/storage.contract.test.ts",
      "packages/adapters/src/sql/*.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/tables/petTable.ts`, "  problemOf: ({ deleted, stock }) => {", "  copy: ({ deleted, stock }) => {"],
    [`${core}/tables/petTable.ts`, 'references: { category_id: "categories" },\n', ""],
    [`${core}/tables/petTable.ts`, "[afterName, after]", "[afterName]"],
    [`${core}/tables/petTable.ts`, "before: afterPrefix(name)", "before: undefined"],
    [
      `${core}/tables/petTable.ts`,
      "onHand: one.stock.onHand, reserved: one.stock.reserved",
      "onHand: one.stock.reserved, reserved: one.stock.onHand"
    ],
    [`${core}/tables/orderTable.ts`, "live: visible", "live: []"],
    [`${core}/tables/movementTable.ts`, '  numberedBy: "pet_id",\n', ""],
    [`${core}/tables/orderTable.ts`, "  problemOf: ({ order: content }) => fieldProblem(content),\n", ""],
    [`${core}/tables/consumerTables.ts`, '  existing: "kept",\n', ""],
    [`${core}/tables/messageTable.ts`, '{ index: "leased", after: [longestLease] },', ""],
    [`${core}/tables/messageTable.ts`, '{ index: "due", after: [longestDelay] }', ""],
    [`${core}/tables/messageTable.ts`, 'sql: "coalesce(due_at, created_at)"', 'sql: "created_at"'],
    [`${core}/tables/messageTable.ts`, "dueAt ?? createdAt", "createdAt"],
    [`${core}/tables/webhookTables.ts`, "after: [after], to: through", "after: [after]"],
    [`${core}/tables/accessTables.ts`, 'apiKey.bytes("previous?.digest")', 'apiKey.bytes("digest")'],
    [engine, "left - right : isSurrogate(left) ? 1 : -1", "left - right : left - right"],
    [engine, "return Number.NEGATIVE_INFINITY", "return Number.POSITIVE_INFINITY"],
    [engine, "if (value instanceof Uint8Array) return value.slice()", "if (value instanceof Uint8Array) return value"],
    [rows, "(isReversed ? ascending.toReversed() : ascending).slice(0, limit)", "listed.slice(0, limit)"]
  ]
}
