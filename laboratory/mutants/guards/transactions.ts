import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"

/** What a transaction decides by. */
export const transactions: Subject = {
  name: "transactions",
  suite: {
    tests: [
      `${core}/engine/Transaction.test.ts`,
      `${core}/transactions/Recording.test.ts`,
      `${core}/petstore/{transactions,transactionBodies}.test.ts`,
      `${core}/orders/Reservations.test.ts`,
      "packages/adapters/src/sqlite/commit/GroupCommit.int.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/orders/reservationCommands.ts`, "Math.min(wanted, longest)", "wanted"],
    [`${core}/engine/Transaction.ts`, "      this.places = undefined\n      this.placed = 0\n", ""],
    ["packages/adapters/src/sqlite/commit/GroupCommit.ts", "if (refusal !== undefined) this.writer.rollback()", ""]
  ]
}
