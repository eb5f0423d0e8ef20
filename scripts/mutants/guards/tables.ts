import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const descriptions = `${core}/tables`
const engine = `${core}/engine/Table.ts`
const rows = `${core}/adapter-toolkit/SynchronousRows.ts`

/** What descriptions of tables promise, and how stores keep it. */
export const tables: Subject = {
  name: "tables",
  suite: {
    tests: [
      `${core}/memory/{memory,storage.contract}.test.ts`,
      `${core}/petstore/{createPetstore,rules}.test.ts`,
      `${core}/services/{ApiKeys,Idempotency}.test.ts`,
      `${core}/services/webhooks/dispatch.test.ts`,
      "packages/adapters/src/sqlite/storage.contract.test.ts",
      "packages/adapters/src/sql/*.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${descriptions}/catalogue.ts`, "      isUnique: true,\n", ""],
    [`${descriptions}/catalogue.ts`, "  problemOf: ({ deleted, stock }) => {", "  copy: ({ deleted, stock }) => {"],
    [`${descriptions}/catalogue.ts`, 'references: { category_id: "categories" },\n', ""],
    [`${descriptions}/catalogue.ts`, "[afterName, after]", "[afterName]"],
    [`${descriptions}/catalogue.ts`, "before: afterPrefix(name)", "before: undefined"],
    [
      `${descriptions}/catalogue.ts`,
      "onHand: one.stock.onHand, reserved: one.stock.reserved",
      "onHand: one.stock.reserved, reserved: one.stock.onHand"
    ],
    [`${descriptions}/orders.ts`, "live: visible", "live: []"],
    [
      `${descriptions}/orders.ts`,
      "(complete === undefined || rules.complete === complete)",
      "rules.complete === (complete ?? true)"
    ],
    [`${descriptions}/orders.ts`, '  numberedBy: "pet_id",\n', ""],
    [`${descriptions}/orders.ts`, "  problemOf: ({ order: content }) => fieldProblem(content),\n", ""],
    [`${descriptions}/queues.ts`, '  existing: "kept",\n', ""],
    [`${descriptions}/queues.ts`, '{ index: "leased", after: [longestLease] },', ""],
    [`${descriptions}/queues.ts`, '{ index: "due", after: [longestDelay] }', ""],
    [`${descriptions}/queues.ts`, 'sql: "coalesce(due_at, created_at)"', 'sql: "created_at"'],
    [`${descriptions}/queues.ts`, "dueAt ?? createdAt", "createdAt"],
    [`${descriptions}/webhooks.ts`, 'order: ["seq"], isUnique: true', 'order: ["seq"]'],
    [`${descriptions}/webhooks.ts`, "after: [after], to: through", "after: [after]"],
    [`${descriptions}/access.ts`, 'apiKey.bytes("previous?.digest")', 'apiKey.bytes("digest")'],
    [engine, "left - right : isSurrogate(left) ? 1 : -1", "left - right : left - right"],
    [engine, "return Number.NEGATIVE_INFINITY", "return Number.POSITIVE_INFINITY"],
    [engine, "if (value instanceof Uint8Array) return value.slice()", "if (value instanceof Uint8Array) return value"],
    [engine, "else if (isOptional) return undefined\n", ""],
    [engine, "&& compared(range.to) <= 0", "&& compared(range.to) < 0"],
    [rows, "if (taken !== undefined) throw taken", ""],
    [rows, "if (problem !== undefined) throw new Error(problem)", ""],
    [rows, 'if (existing === "kept") return\n', ""],
    [rows, "if (numberOf(row) !== numberOf(last) + 1)", "if (false)"],
    [rows, "if (last > included)", "if (false)"],
    [rows, "Math.min(through, this.events.last - 1)", "through"],
    [
      rows,
      "if (row === undefined || !rows.table.isLive(row)) return undefined",
      "if (row === undefined) return undefined"
    ],
    [rows, "(isReversed ? ascending.toReversed() : ascending).slice(0, limit)", "found.slice(0, limit)"],
    [rows, "rows.select(range, limit - found.length)", "rows.select(range, limit)"]
  ]
}
