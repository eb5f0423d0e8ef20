import { existsSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { printed, test } from "../../../test/support/cliTest.ts"

describe("petstore accounts", () => {
  test("given a name, then create prints nothing but the id, and list shows the account", ({ output }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* output("accounts", "create", "Zoë's shop"), "1")
      assert.match(yield* output("accounts", "list"), /^id {2}name +created\n1 {3}Zoë's shop {2}\d{4}-.*Z$/)
      const [account] = JSON.parse(yield* output("accounts", "list", "--json"))
      assert.strictEqual(account.name, "Zoë's shop")
    }))

  test("given a name that is taken, then one line reports it, and the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("accounts", "create", "Shop")
      assert.deepStrictEqual(printed(yield* run("accounts", "create", "SHOP")), {
        code: 1,
        stderr: 'petstore: There is already an account named "SHOP".',
        stdout: ""
      })
    }))

  test("given an invalid name, then the exit code is 2", ({ run }) =>
    Effect.gen(function* () {
      for (const name of ["", "  "]) {
        const { code, stderr } = printed(yield* run("accounts", "create", name))
        assert.strictEqual(code, 2)
        assert.match(stderr, /^petstore: NAME: [^/]+$/)
      }
    }))

  test("given no database, then list creates none", ({ file, run }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(printed(yield* run("accounts", "list")), {
        code: 2,
        stderr: `petstore: The database "${file}" does not exist; name an existing one with --storage sqlite:FILE.`,
        stdout: ""
      })
      assert.isFalse(existsSync(file))
    }))
})
