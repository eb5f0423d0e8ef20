import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { bundledProgram } from "../../../../adapters/test/support/bundledProgram.ts"
import { freePort } from "../../../../adapters/test/support/freePort.ts"
import { printed, test } from "../../../test/support/cliTest.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore, startServer } from "../../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"

/** A petstore on a file that this test writes to, while a process follows it. */
const live = (name: string, body: (petstore: Petstore, file: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "pets.db")
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: sqlite(file) })),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* body(petstore, file)
    }).pipe(Effect.scoped)
  )

const create = (petstore: Petstore, name: string) => Effect.promise(() => petstore.categories.create({ name }))

const program = fileURLToPath(new URL("../main.ts", import.meta.url))

describe("petstore events tail", () => {
  live(
    "given --after 0, then past events are printed, and then new ones as they are committed, until SIGINT",
    (petstore, file) =>
      Effect.gen(function* () {
        yield* create(petstore, "Cats")
        const tail = yield* startPetstore(["events", "tail", "--after", "0", "--storage", `sqlite:${file}`])
        yield* tail.printed(
          /^ {7}1 {2}[\d-]{10} [\d:]{8} {2}category\.created {4}categories\/1 {5}\{"name":"Cats".*\n$/
        )
        yield* create(petstore, "Dogs")
        yield* tail.printed(/\n {7}2 .*Dogs/)
        tail.child.kill("SIGINT")
        assert.strictEqual(yield* tail.ended, 0)
        assert.strictEqual(tail.stderr(), "")
        assert.notInclude(tail.stdout(), "\u001b")
      })
  )

  live("given --types and --json, then each of these events is a line of JSON", (petstore, file) =>
    Effect.gen(function* () {
      const { id: categoryId } = yield* create(petstore, "Cats")
      yield* Effect.promise(() => petstore.pets.create({ name: "Tom", categoryId }))
      const args = ["events", "tail", "--after", "0", "--types", "pet.created", "--json"]
      const tail = yield* startPetstore([...args, "--storage", `sqlite:${file}`])
      const [line] = yield* tail.printed(/^.*\n/)
      const [expected] = (yield* Effect.promise(() => petstore.events.list({ limit: 2 }))).items.slice(1)
      assert.deepStrictEqual(JSON.parse(line), JSON.parse(JSON.stringify(expected)))
      tail.child.kill("SIGTERM")
      assert.strictEqual(yield* tail.ended, 0)
      assert.strictEqual(tail.stdout(), line)
    })
  )

  live("given --url and a key, then events of a remote petstore are printed as they are committed", (petstore, file) =>
    Effect.gen(function* () {
      const PETSTORE_ADMIN_KEY = "tail-admin-key-0123456789"
      const server = yield* startServer(["--storage", `sqlite:${file}`], { env: { PETSTORE_ADMIN_KEY } })
      yield* create(petstore, "Cats")
      const args = ["events", "tail", "--after", "0", "--url", server.url]
      const tail = yield* startPetstore(args, { env: { PETSTORE_KEY: PETSTORE_ADMIN_KEY } })
      yield* tail.printed(/^ {7}1 .*Cats/)
      yield* create(petstore, "Dogs")
      yield* tail.printed(/\n {7}2 .*Dogs/)
      tail.child.kill("SIGINT")
      assert.strictEqual(yield* tail.ended, 0)
      assert.strictEqual(tail.stderr(), "")

      const refused = printed(yield* runPetstore(args, { PETSTORE_KEY: "psk_9_wrong" }))
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /^petstore: [^\n]+$/)
      assert.notInclude(refused.stderr, "psk_9_wrong")
      const port = yield* Effect.promise(freePort)
      const nowhere = ["events", "tail", "--url", `http://127.0.0.1:${port}/v1`]
      const unreachable = printed(yield* runPetstore(nowhere, { PETSTORE_KEY: PETSTORE_ADMIN_KEY }))
      assert.strictEqual(unreachable.code, 1)
      assert.strictEqual(unreachable.stderr, `petstore: Cannot reach a petstore at http://127.0.0.1:${port}.`)
      const keyless = printed(yield* runPetstore(args))
      assert.strictEqual(keyless.code, 2)
      assert.match(keyless.stderr, /PETSTORE_KEY/)
    })
  )

  live("given a reader that stops, as head does, then it ends at the next event, without a message", (petstore, file) =>
    Effect.gen(function* () {
      yield* create(petstore, "Cats")
      const bundled = yield* Effect.promise(() => bundledProgram(program))
      const ended = yield* Effect.forkChild(
        Effect.callback<{ readonly out: string; readonly status: string }>((resume) => {
          const command = [process.execPath, bundled, "events", "tail", "--after", "0"]
          const script = '("$@"; echo "status $?" >&2) | head -n 1'
          const child = spawn("/bin/sh", ["-c", script, "sh", ...command, "--storage", `sqlite:${file}`], {
            stdio: ["ignore", "pipe", "pipe"]
          })
          let out = ""
          let status = ""
          child.stdout.setEncoding("utf8").on("data", (text) => {
            out += text
          })
          child.stderr.setEncoding("utf8").on("data", (text) => {
            status += text
          })
          child.on("close", () => resume(Effect.succeed({ out, status })))
        }),
        { startImmediately: true }
      )
      let number = 0
      const writing = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sleep("100 millis"),
            Effect.suspend(() => create(petstore, `Dogs ${number++}`))
          )
        )
      )
      const { out, status } = yield* Fiber.join(ended)
      yield* Fiber.interrupt(writing)
      assert.match(out, /^ {7}1 .*\n$/)
      assert.strictEqual(status, "status 141\n")
    })
  )

  live("given a subject, then only events of this resource are printed", (petstore, file) =>
    Effect.gen(function* () {
      for (const name of ["Cats", "Dogs"]) yield* create(petstore, name)
      const args = ["events", "tail", "--after", "0", "--subject", "categories/2", "--storage", `sqlite:${file}`]
      const tail = yield* startPetstore(args)
      yield* tail.printed(/Dogs/)
      assert.notInclude(tail.stdout(), "Cats")
    })
  )

  test("given a subject that is none, then the error shows one", ({ run }) =>
    Effect.map(run("events", "tail", "--subject", "orders"), (ended) => {
      const { code, stderr } = printed(ended)
      assert.strictEqual(code, 2)
      assert.match(stderr, /--subject takes a collection and an id, such as orders\/17, not "orders"/)
    }))

  test("given an unknown type, then the error names those that exist", ({ run }) =>
    Effect.map(run("events", "tail", "--types", "order.placed,order.eaten"), (ended) => {
      const { code, stderr } = printed(ended)
      assert.strictEqual(code, 2)
      assert.match(stderr, /--types takes event types separated by commas, of .*order\.placed.*, not "order\.eaten"/)
    }))

  test("given a database that does not exist, then it is not created", ({ run }) =>
    Effect.map(run("events", "tail"), ({ code, stdout }) => {
      assert.strictEqual(code, 2)
      assert.deepStrictEqual(stdout, [])
    }))
})
