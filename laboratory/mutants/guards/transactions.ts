import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const recording = `${core}/transactions/Recording.ts`
const body = `${core}/transactions/TransactionBody.ts`

/** What a transaction decides by, and what belongs to it. */
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
    [`${core}/engine/Transaction.ts`, "      this.places = undefined\n      this.placed = 0\n", ""],
    [recording, "if (ids.length > 0 && (yield* tx.findAll(table, ids)).length > 0) return yield* fail(changed())", ""],
    [recording, "fresh.includes(false) ? Effect.fail(changed()) : Effect.failCause(cause)", "Effect.failCause(cause)"],
    [recording, "isSteady ? longer : { ...longer, found: unsteady.keys }", "longer"],
    [recording, "isSteady ? read : { ...read, found: unsteady.count }", "read"],
    [recording, "else if (!isSame(table, seen.row, row)) seen.isUnsteady = true", ""],
    [recording, "if ((yield* tx.count(query, argument, limit)) !== found) return yield* fail(changed())", ""],
    [recording, "if (found.length < limit) this.seeEnd(found.at(-1)?.seq ?? after)", ""],
    [recording, "      this.seeEnd(seq)\n", ""],
    [recording, 'typeof value === "number" ? String(value) : value', "value"],
    [
      `${core}/orders/reservationCommands.ts`,
      "  yield* tx.lockAll(\n    pets,\n    overdue.flatMap(({ order: { petId } }) => petId ?? [])\n  )\n",
      ""
    ],
    ["packages/adapters/src/sqlite/commit/GroupCommit.ts", "if (refusal !== undefined) this.writer.rollback()", ""],
    [body, "contexts?.getStore()?.isOf(owner) === true", "false"],
    [body, "this.parts > 0 && ", ""],
    [body, " && this.owner === owner", ""],
    [body, " || this.around?.isOf(owner) === true", ""],
    [body, "running > 0 && TransactionBody.of(context)?.isOf(owner) === true", "false"],
    [
      `${core}/transactions/callsOfBodies.ts`,
      "return body?.isOf(owner) === true ? body : undefined",
      "return undefined"
    ]
  ]
}
