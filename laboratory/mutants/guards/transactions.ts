import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"

/** What a transaction decides by. */
export const transactions: Subject = {
  name: "transactions",
  suite: {
    tests: [
      `${core}/kernel/Transaction.test.ts`,
      `${core}/programs/transactions/Recording.test.ts`,
      `${core}/petstore/{transactions,transactionBodies}.test.ts`,
      `${core}/runtime/orders/Reservations.test.ts`,
      "packages/adapters/src/sqlite/commit/GroupCommit.int.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/programs/orders/reservationCommands.ts`, "Math.min(wanted, longest)", "wanted"],
    [`${core}/kernel/Transaction.ts`, "      this.places = undefined\n      this.placed = 0\n", ""],
    ["packages/adapters/src/sqlite/commit/GroupCommit.ts", "if (refusal !== undefined) this.writer.rollback()", ""]
  ]
}
