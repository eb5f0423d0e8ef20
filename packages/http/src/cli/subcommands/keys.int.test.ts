import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { printed, test } from "../../../test/support/cliTest.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"

describe("petstore console", () => {
  test("given no flags, then it prints a link with a key that reads for 8 hours, and whose name says who made it", ({
    output
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      yield* TestClock.setTime(Date.parse("2026-05-04T09:30:00.000Z"))
      assert.match(yield* output("console"), /^http:\/\/127\.0\.0\.1:8080\/console#key=psk_1_[0-9A-Za-z]{49}$/)
      const url = ["--url", "https://pets.example/shop/", "--preset", "admin", "--for", "30 minutes"]
      assert.match(yield* output("console", ...url), /^https:\/\/pets\.example\/shop\/console#key=psk_2_/)
      const [read, admin] = JSON.parse(yield* output("call", "listApiKeys"))
      assert.match(read.name, /^console:./)
      assert.include(read.scopes, "stats:read")
      assert.strictEqual(Date.parse(read.expiresAt) - Date.parse(read.createdAt), 8 * 3_600_000)
      assert.deepStrictEqual(admin.scopes, ["admin"])
      assert.strictEqual(Date.parse(admin.expiresAt) - Date.parse(admin.createdAt), 1_800_000)
    }))

  test("given more than a day, or an address that is none, then the error says what it takes, and there is no key", ({
    output,
    run
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      for (const wrong of [
        ["--for", "25 hours"],
        ["--for", "0 hours"],
        ["--for", "8"],
        ["--url", "pets.example"]
      ]) {
        const { code, stderr } = printed(yield* run("console", ...wrong))
        assert.strictEqual(code, 2)
        assert.match(stderr, /--for takes a time of at most 24 hours|--url takes an http or https URL/i)
      }
      assert.strictEqual(yield* output("call", "listApiKeys"), "[]")
    }))
})

describe("petstore keys", () => {
  const key = /^psk_\d+_[0-9A-Za-z]{49}$/

  test("given a new account, then create creates it and prints nothing but the key", ({ output }) =>
    Effect.gen(function* () {
      assert.match(yield* output("keys", "create", "--account", "shop", "--preset", "read"), key)
      assert.match(yield* output("keys", "create", "--account", "SHOP", "--scopes", "pets:read, orders:write"), key)
      const accounts = JSON.parse(yield* output("call", "listAccounts"))
      assert.lengthOf(accounts, 1)
      const keys = JSON.parse(yield* output("call", "listApiKeys"))
      assert.deepStrictEqual(
        keys.map((made: { scopes: unknown }) => made.scopes),
        [
          [
            "pets:read",
            "inventory:read",
            "orders:read",
            "messages:read",
            "events:read",
            "webhooks:read",
            "stats:read",
            "consumers:read"
          ],
          ["pets:read", "orders:write"]
        ]
      )
    }))

  test("given a name and a time, then the key has them", ({ output }) =>
    Effect.gen(function* () {
      const named = ["--name", "till 3", "--expires-at", "2099-01-01T01:00:00+01:00"]
      yield* output("keys", "create", "--account", "shop", "--preset", "storefront", ...named)
      const [made] = JSON.parse(yield* output("call", "listApiKeys"))
      assert.deepStrictEqual([made.name, made.expiresAt], ["till 3", "2099-01-01T00:00:00.000Z"])
    }))

  test("given invalid names, then the error shows the flag of each, and no key is created", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      for (const flag of ["--account", "--name"]) {
        const call = ["--account", "shop", "--name", "till", "--preset", "read"]
        call[call.indexOf(flag) + 1] = " "
        const { code, stderr } = printed(yield* run("keys", "create", ...call))
        assert.strictEqual(code, 2)
        assert.match(stderr, new RegExp(`^petstore: ${flag}: [^/]+$`))
      }
      assert.strictEqual(yield* output("call", "listAccounts"), "[]")
    }))

  test("given a time in the past or an unknown scope, then neither account nor database is created", ({ file, run }) =>
    Effect.gen(function* () {
      const ended = ["--expires-at", "1969-12-31T23:59:59Z"]
      assert.strictEqual((yield* run("keys", "create", "--account", "shop", "--preset", "read", ...ended)).code, 2)
      assert.strictEqual((yield* run("keys", "create", "--account", "shop", "--scopes", "everything")).code, 2)
      assert.isFalse(existsSync(file))
    }))

  test("given a key, then rotate prints nothing but another key, and list shows no secret", ({ output }) =>
    Effect.gen(function* () {
      const first = yield* output("keys", "create", "--account", "shop", "--preset", "read")
      const second = yield* output("keys", "rotate", "1", "--grace-seconds", "0")
      assert.match(second, key)
      assert.notStrictEqual(second, first)
      const listed = yield* output("call", "listApiKeys")
      for (const secret of [first, second]) assert.notInclude(listed, secret.slice(-40))
    }))

  test("given a key that has expired, when it is rotated, then that is rejected, and nothing is printed", ({
    output,
    run
  }) =>
    Effect.gen(function* () {
      const expires = ["--expires-at", "1970-01-02T00:00:00Z"]
      yield* output("keys", "create", "--account", "shop", "--preset", "read", ...expires)
      yield* output("keys", "rotate", "1")
      yield* TestClock.setTime(Date.parse("1970-01-02T00:00:00Z"))
      assert.deepStrictEqual(printed(yield* run("keys", "rotate", "1")), {
        code: 1,
        stderr:
          "petstore: API key 1 expired on 1970-01-02T00:00:00.000Z. Rotating keeps that date, so the new key would never work: create another key with petstore keys create.",
        stdout: ""
      })
    }))

  test("given a key, then revoke revokes it, and it is no longer listed", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "read")
      assert.deepStrictEqual(printed(yield* run("keys", "revoke", "1")), {
        code: 0,
        stderr: "API key 1 is revoked.",
        stdout: ""
      })
      assert.strictEqual(yield* output("call", "listApiKeys"), "[]")
    }))

  test("given the last admin key, then it is kept, and the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "admin")
      assert.deepStrictEqual(printed(yield* run("keys", "revoke", "1")), {
        code: 1,
        stderr:
          "petstore: API key 1 is the last admin key: no other is valid for 7 more days or as long as this one. Create another admin key first, or rotate this one.",
        stdout: ""
      })
    }))

  test("given the last admin key and another in the environment, then it is revoked", ({ file, output }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "admin")
      const environment = { PETSTORE_STORAGE: `sqlite:${file}`, PETSTORE_ADMIN_KEY: "an-admin-key-of-the-environment" }
      assert.deepStrictEqual(printed(yield* runPetstore(["keys", "revoke", "1"], environment)), {
        code: 0,
        stderr: "API key 1 is revoked.",
        stdout: ""
      })
      assert.strictEqual(yield* output("call", "listApiKeys"), "[]")
    }))

  test("given a key that does not exist, then the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      assert.deepStrictEqual(printed(yield* run("keys", "rotate", "7")), {
        code: 1,
        stderr: "petstore: There is no API key 7.",
        stdout: ""
      })
    }))
})

describe("a subcommand that waits for its database", () => {
  test("given a signal, then it stops, and the exit code shows the signal", ({ file, output }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const other = new DatabaseSync(file)
      other.exec("BEGIN IMMEDIATE")
      const create = ["keys", "create", "--account", "shop", "--preset", "read"]
      const environment = { PETSTORE_STORAGE: `sqlite:${file}` }
      // The clock of the test stands still, so the wait for the lock would never end.
      assert.strictEqual((yield* runPetstore(create, environment, Effect.succeed("SIGINT"))).code, 130)
      assert.strictEqual((yield* runPetstore(create, environment, Effect.succeed("SIGTERM"))).code, 143)
      other.close()
      assert.strictEqual(yield* output("call", "listAccounts"), "[]")
    }))
})
