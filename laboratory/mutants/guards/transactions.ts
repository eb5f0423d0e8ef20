import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const recording = `${core}/programs/transactions/Recording.ts`

/** What a transaction decides by. */
export const transactions: Subject = {
  name: "transactions",
  suite: {
    tests: [
      `${core}/kernel/Transaction.test.ts`,
      `${core}/programs/transactions/Recording.test.ts`,
      `${core}/petstore/{transactions,transactionBodies}.test.ts`,
      `${core}/runtime/orders/Reservations.test.ts`,
      `${core}/domain/orders/Order.test.ts`,
      "packages/adapters/src/sqlite/commit/GroupCommit.int.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/programs/orders/reservationCommands.ts`, "Math.min(wanted, longest)", "wanted"],
    [
      `${core}/programs/orders/reservationCommands.ts`,
      "  yield* tx.lockAll(\n    pets,\n    overdue.flatMap(({ order: { petId } }) => petId ?? [])\n  )\n",
      ""
    ],
    [`${core}/domain/orders/Order.ts`, 'order.state === "draft" ? expiresAt : order.expiresAt', "expiresAt"],
    [recording, "if ((yield* tx.findAll(table, ids)).length > 0) return yield* fail(changed())", ""],
    [recording, "else ask(this.explain(exit.cause), asker, done)", "else done(exit)"],
    [recording, "else if (!isSame(table, seen.row, row)) seen.isUnsteady = true", ""],
    [recording, "isSteady ? longer : { ...longer, result: unsteady.keys }", "longer"],
    [recording, "isSteady ? read : { ...read, result: unsteady.count }", "read"],
    [`${core}/kernel/Transaction.ts`, "      this.places = undefined\n      this.placed = 0\n", ""],
    ["packages/adapters/src/sqlite/commit/GroupCommit.ts", "if (refusal !== undefined) this.writer.rollback()", ""]
  ]
}
