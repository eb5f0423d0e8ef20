import { assert, describe, onTestFinished } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { printed, liveTest as test } from "../../../test/support/cliTest.ts"

/** Lets the command print as to a terminal until the test has ended. */
const printToTerminal = (): void => {
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  onTestFinished(() => {
    process.stdout.isTTY = isTTY
  })
}

describe("petstore call", () => {
  test("given fields of path, query and body, then it prints what the operation returns as JSON, a list to its end", ({
    output,
    run
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const call = (...args: ReadonlyArray<string>) =>
        Effect.map(output("call", ...args), (text) => (text === "" ? undefined : JSON.parse(text)))
      // A text stays one, although it is JSON too.
      assert.strictEqual((yield* call("createCategory", "name=7")).name, "7")
      const pet = yield* call("createPet", "name=Tom", "categoryId=1", "status=pending")
      assert.deepStrictEqual([pet.name, pet.categoryId, pet.status], ["Tom", 1, "pending"])
      assert.strictEqual((yield* call("updatePet", "petId=1", "name=Tom Cat")).name, "Tom Cat")
      for (let n = 0; n < 25; n++) yield* call("sendMessage", `message=Hello=${n}`)
      const messages = yield* call("listMessages", "status=queued")
      assert.lengthOf(messages, 25)
      assert.strictEqual(messages[3].message, "Hello=3")
      assert.lengthOf(yield* call("listMessages", "limit=2"), 2)
      assert.deepStrictEqual(printed(yield* run("call", "deletePet", "petId=1")), { code: 0, stdout: "", stderr: "" })
    }))

  test("given a terminal, then a list is a table, in which nothing controls the terminal, unless --json asks for JSON", ({
    output
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      printToTerminal()
      assert.strictEqual(yield* output("call", "listAccounts"), "[]")
      yield* output("call", "createAccount", "name=Zoë's shop")
      const table = yield* output("call", "listAccounts")
      assert.match(table, /^id {2}name +createdAt\n1 {3}Zoë's shop {2}\d{4}-.*Z$/)
      assert.strictEqual(JSON.parse(yield* output("call", "listAccounts", "--json"))[0].id, 1)
    }))

  test("given several values of a field of the path, then it calls the operation for each", ({ output }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      for (const name of ["Cats", "Dogs", "Birds"]) yield* output("call", "createCategory", `name=${name}`)
      yield* output("call", "deleteCategory", "categoryId=1", "categoryId=3")
      assert.deepStrictEqual(
        JSON.parse(yield* output("call", "listCategories")).map(({ name }: { readonly name: string }) => name),
        ["Dogs"]
      )
    }))

  test("given what is wrong, then one line says so, and the exit code is that of its kind", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      yield* output("call", "createAccount", "name=Shop")
      const cases: ReadonlyArray<readonly [code: number, says: string, ...args: ReadonlyArray<string>]> = [
        [2, 'There is no operation "listPet". Did you mean listPets?', "listPet"],
        [2, "keyId=VALUE is missing.", "revokeApiKey"],
        [2, 'NAME=VALUE takes a field, such as status=failed, not "failed".', "listMessages", "failed"],
        [2, "colour: Unknown field", "createAccount", "name=Zoo", "colour=red"],
        [2, "name: Expected", "createAccount", "name="],
        [2, "status: Expected", "listMessages", "status=lost"],
        [1, 'There is already an account named "SHOP". Names are unique, ignoring case.', "createAccount", "name=SHOP"],
        [1, "There is no API key 7.", "revokeApiKey", "keyId=7"]
      ]
      for (const [code, says, ...args] of cases) {
        const ended = printed(yield* run("call", ...args))
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
        assert.include(ended.stderr, `petstore: ${says}`)
        assert.notInclude(ended.stderr, "\n")
      }
      const unknown = printed(yield* run("call", "meow")).stderr
      assert.include(unknown, 'There is no operation "meow". Choose one of listCategories, createCategory')
      assert.notInclude(unknown, "streamEvents")
    }))

  test("given no database, then it creates none", ({ file, run }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(printed(yield* run("call", "listAccounts")), {
        code: 2,
        stderr: `petstore: The database "${file}" does not exist; name an existing one with --storage sqlite:FILE.`,
        stdout: ""
      })
    }))
})
