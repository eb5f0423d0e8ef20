import { assert, describe, it } from "@effect/vitest"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { type HostCommand, writingCommands } from "../../../test/support/hostCommands.ts"
import { rowsOf } from "../../../test/support/postgres/hostStore.ts"
import { before, hostShops, place } from "../../../test/support/postgres/inHostShop.ts"
import { rejection } from "../../../test/support/rejections.ts"

expectLogs(clearText)

const { inShop } = hostShops()

describe("given a call that waits behind another one in its transaction", () => {
  it(
    "when the driver begins the next transaction before its first statement, then it does not run in that one",
    inShop(async (shop, client) => {
      const untouched = await rowsOf(shop)
      await client.query("BEGIN")
      const calls = [rejection(place(shop, client)), rejection(place(shop, client))]
      // The driver has both before the first call has a result.
      await Promise.all([client.query("ROLLBACK"), client.query("BEGIN")])
      for (const call of calls) assert.match((await call).message, /ended while this call ran/)
      await client.query("COMMIT")
      assert.strictEqual(await rowsOf(shop), untouched)
    })
  )

  it(
    "when the next transaction begins before its turn, then it does not run in that one",
    inShop(async (shop, client) => {
      const untouched = await rowsOf(shop)
      const next = async () => {
        await client.query("ROLLBACK")
        await client.query("BEGIN")
      }
      await client.query("BEGIN")
      const calls = [rejection(place(shop, before(client, 1, next))), rejection(place(shop, client))]
      for (const call of calls) assert.match((await call).message, /ended while this call ran/)
      await client.query("COMMIT")
      assert.strictEqual(await rowsOf(shop), untouched)
    })
  )
})

describe("given a call that has taken something in the transaction", () => {
  const commands: ReadonlyArray<readonly [what: string, name: string, statement: number]> = [
    ["a name", "categories.create", 2],
    ["an id", "apiKeys.create", 2]
  ]
  for (const [what, name, statement] of commands) {
    it(
      `when it is ${what} and the host commits, then COMMIT is rejected, and nothing is there`,
      inShop(async (shop, client) => {
        const command: HostCommand = writingCommands[name] ?? assert.fail(name)
        const untouched = await rowsOf(shop)
        let commit: Promise<Error> | undefined
        const commits = async () => {
          commit = rejection(client.query("COMMIT"))
          await commit
        }
        await client.query("BEGIN")
        assert.instanceOf(await rejection(command(shop.petstore, before(client, statement, commits))), TypeError)
        assert.match(String(await commit), /await each petstore call before COMMIT/)
        assert.strictEqual(await rowsOf(shop), untouched)
      })
    )
  }
})
