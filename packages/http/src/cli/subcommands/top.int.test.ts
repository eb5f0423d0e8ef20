import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { bundledProgram } from "../../../../adapters/test/support/bundledProgram.ts"
import { printed, test } from "../../../test/support/cliTest.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"
import { startServer } from "../../../test/support/TestServer.ts"

const temporaryDatabase = Effect.map(temporaryFolder, (folder) => join(folder, "pets.db"))

const program = fileURLToPath(new URL("../main.ts", import.meta.url))

/** A shop with an event, and two messages of which the first one is old. */
const fill = (file: string) =>
  Effect.promise(async () => {
    await using petstore = await createPetstore({ storage: sqlite(file) })
    await petstore.categories.create({ name: "Dogs" })
    await petstore.messages.enqueue("Hello")
  })

describe("petstore top", () => {
  it.live("given a database, when it prints one frame, then it shows its queues", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* temporaryDatabase
        yield* fill(file)
        const once = (...flags: ReadonlyArray<string>) =>
          runPetstore(["top", "--once", ...flags, "--storage", `sqlite:${file}`])
        const text = printed(yield* once())
        assert.strictEqual(text.code, 0, text.stderr)
        assert.match(text.stdout, /messages +1 queued +0 failed +oldest \d/)
        assert.notInclude(text.stdout, "requests")
        const frame = JSON.parse(printed(yield* once("--json")).stdout)
        assert.deepInclude(frame, { source: file, server: null })
        assert.deepInclude(frame.store, { latestEvent: 2, eventsPerSecond: 0 })
        assert.deepInclude(frame.store.messages, { queued: 1, failed: 0 })
      })
    )
  )

  it.live("given a server, when it prints a frame of its metrics, then it shows its requests, as its stats do", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { send, server } = yield* startServer({ metrics: true })
        yield* send("POST", "/v1/categories", { body: { name: "Dogs" } })
        yield* send("POST", "/v1/messages", { body: { message: "Hello" } })
        const url = `http://127.0.0.1:${server.port}/metrics`
        const frame = JSON.parse(printed(yield* runPetstore(["top", "--once", "--json", "--metrics-url", url])).stdout)
        assert.strictEqual(frame.source, url)
        assert.deepInclude(frame.store, { latestEvent: 2 })
        assert.deepInclude(frame.store.messages, { queued: 1, failed: 0 })
        assert.deepInclude(frame.server, { inFlight: 0, waiting: 0 })
      })
    )
  )

  it.live("given a server without metrics, or none, when it is asked, then it says what to do", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { server } = yield* startServer()
        for (const [url, says] of [
          [`http://127.0.0.1:${server.port}/metrics`, "Start the server with --metrics"],
          ["http://127.0.0.1:1/metrics", "Cannot reach http://127.0.0.1:1"]
        ] as const) {
          const { code, stderr } = printed(yield* runPetstore(["top", "--once", "--metrics-url", url]))
          assert.strictEqual(code, 1)
          assert.include(stderr, says)
        }
      })
    )
  )

  test("given no terminal, when it is to be live, then it says how it can be used without one", ({ run }) =>
    Effect.gen(function* () {
      const { code, stderr } = printed(yield* run("top"))
      assert.strictEqual(code, 2)
      assert.include(stderr, "use --once or --json")
    }))

  const hasScript = spawnSync("script", ["--version"]).status === 0
  it.live.skipIf(!hasScript)("given a terminal, when q is pressed, then it ends and gives the terminal back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* temporaryDatabase
        yield* fill(file)
        const bundle = yield* Effect.promise(() => bundledProgram(program))
        const command = `stty rows 10 cols 50; '${process.execPath}' '${bundle}' top --storage 'sqlite:${file}'; echo "ended with $?"; stty -a`
        const child = spawn("script", ["-qefc", command, "/dev/null"], {
          env: { ...process.env, TERM: "xterm", SHELL: "/bin/sh" }
        })
        let screen = ""
        const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
        child.stdout.on("data", (text) => {
          screen += text
          if (child.stdin.writable && /1 queued/.test(screen)) child.stdin.end("q")
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
        yield* Effect.promise(() => ended)
        assert.include(screen, "\x1b[?1049h\x1b[?25l")
        const [, after = ""] = screen.split("\x1b[?25h\x1b[?1049l")
        assert.include(after, "ended with 0")
        assert.match(after, /[^-]icanon/)
        assert.match(after, /[^-]echo\b/)
      })
    )
  )
})
