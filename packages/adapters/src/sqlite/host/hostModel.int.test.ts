import { assert, describe, it } from "@effect/vitest"
import type { HostTransaction, Petstore } from "@petstore/core"
import { type Command, checkInvariants, command, history, Model, runCommand } from "@petstore/testing"
import { all, array, schema } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { openDatabase, openGuest } from "../../../test/support/host.ts"
import { inHostTransactions } from "../../../test/support/inHostTransactions.ts"
import { migratedFile } from "../../../test/support/migratedFile.ts"

expectLogs(clearText)

/** Some commands in one transaction of the host, and how it ends. */
const anyTransactions = array(
  all({ commands: array(command, { minLength: 1, maxLength: 6 }), commits: schema(Schema.Boolean) }),
  { maxLength: 12 }
)

const modelOf = (commands: ReadonlyArray<Command>): Model => {
  const model = new Model()
  for (const each of commands) model.run(each)
  return model
}

/** The stock and the orders, as lists show them. */
const readLists = async ({ inventory, orders }: Petstore, transaction?: HostTransaction) => ({
  inventory: (await inventory.list({ limit: 100 }, { transaction })).items.map(({ petId, quantity, reserved }) => [
    petId,
    quantity,
    reserved
  ]),
  orders: (await orders.list({ limit: 100 }, { transaction })).items.map(({ id, petId, quantity, complete }) => [
    id,
    petId,
    quantity,
    complete
  ])
})

const expectedBy = (model: Model): Awaited<ReturnType<typeof readLists>> => ({
  inventory: [...model.pets].map(([petId, { onHand }]) => [petId, onHand, model.reserved(petId)]),
  orders: [...model.orders].map(([id, { complete, petId, quantity }]) => [id, petId, quantity, complete])
})

describe("given transactions of a host, each with some commands, that it commits or rolls back", () => {
  it.effect.prop(
    "then the results in them are those of the model, and rolled back commands have no effect",
    { opening: history(0), transactions: anyTransactions },
    ({ opening, transactions }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const db = yield* openDatabase(yield* migratedFile())
          const petstore = yield* openGuest(db)
          const within = (transaction: HostTransaction) => inHostTransactions(petstore, (body) => body(transaction))
          yield* Effect.promise(async () => {
            let committed = opening
            for (const each of opening) await runCommand(petstore, each)
            for (const { commands, commits } of transactions) {
              db.exec("BEGIN IMMEDIATE")
              const model = modelOf(committed)
              for (const each of commands) {
                assert.deepStrictEqual(await runCommand(within(db), each), model.run(each))
                assert.deepStrictEqual(await readLists(petstore, db), expectedBy(model))
              }
              assert.deepStrictEqual(await readLists(petstore), expectedBy(modelOf(committed)))
              db.exec(commits ? "COMMIT" : "ROLLBACK")
              if (commits) committed = [...committed, ...commands]
              assert.deepStrictEqual(await readLists(petstore), expectedBy(modelOf(committed)))
            }
          })
          yield* checkInvariants(petstore)
        })
      ),
    { arbitrary: { runs: 30, size: 100 } }
  )
})
