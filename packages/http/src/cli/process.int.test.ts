import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../../test/support/folder.ts"
import { type PetstoreProcess, startPetstore, startServer } from "../../test/support/PetstoreProcess.ts"

const live = (name: string, body: (folder: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, body)))

const get = (url: string, key?: string) =>
  Effect.promise((signal) =>
    fetch(url, { signal, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
  )

const send = (signal: NodeJS.Signals, { child }: { readonly child: { kill(signal: NodeJS.Signals): boolean } }) =>
  Effect.sync(() => child.kill(signal))

const waitForFile = (file: string): Effect.Effect<void> =>
  Effect.suspend(() => (existsSync(file) ? Effect.void : Effect.delay(waitForFile(file), "5 millis")))

/** The admin key that a first start prints, on the first line of its standard output; the second is a request with it. */
const printedKey = (server: PetstoreProcess): Effect.Effect<string> =>
  Effect.map(server.printed(/^(psk_1_[0-9A-Za-z]{49})\ncurl [^\n]+\n$/), ([, key = ""]) => key)

/** Begins a request that the server waits for, and does not end it. */
const halfARequest = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const { hostname, pathname, port } = new URL(`${url}/pets`)
      const socket = connect(Number(port), hostname)
      socket.on("error", () => {})
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          "Expect: 100-continue\r\nContent-Length: 50\r\n\r\n"
      )
      // Its 100 Continue says that the request has begun.
      socket.once("data", () => {
        socket.write('{"name":')
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("petstore serve", () => {
  live(
    "given a first start, then it prints an admin key and a request that works with it, and the next start does not",
    (folder) =>
      Effect.gen(function* () {
        const storage = ["--storage", `sqlite:${join(folder, "pets.db")}`]
        const first = yield* startServer(storage)
        const key = yield* printedKey(first)
        assert.strictEqual((yield* get(`${first.url}/accounts`, key)).status, 200)
        const line = first.stdout().split("\n")[1] ?? ""
        const [, shownKey, address = ""] = /^curl -H 'Authorization: Bearer ([^']+)' '([^']+)'$/.exec(line) ?? []
        assert.deepStrictEqual([shownKey, address], [key, `${first.url}/pets`])
        const pets = yield* get(address, key)
        assert.deepStrictEqual([pets.status, yield* Effect.promise(() => pets.json())], [200, []])
        const [, docs = ""] = yield* first.said(/API reference: (http:[^\s"]+)/)
        assert.strictEqual((yield* get(docs, "")).status, 200)
        assert.strictEqual((yield* get(first.url, "")).status, 200)
        yield* send("SIGTERM", first)
        assert.strictEqual(yield* first.ended, 0)
        assert.strictEqual(first.stdout(), `${key}\n${line}\n`)
        assert.notInclude(first.stderr(), key.slice(6))

        const second = yield* startServer(storage)
        assert.strictEqual((yield* get(`${second.url}/accounts`, key)).status, 200)
        yield* send("SIGINT", second)
        assert.strictEqual(yield* second.ended, 0)
        assert.strictEqual(second.stdout(), "")
        assert.isFalse(existsSync(join(folder, "pets.db-wal")))
      })
  )

  live("given an admin key in the environment, then it works, and is neither printed nor stored", (folder) =>
    Effect.gen(function* () {
      const PETSTORE_ADMIN_KEY = "environment-admin-key-0123456789"
      const PETSTORE_STORAGE = `sqlite:${join(folder, "pets.db")}`
      const server = yield* startServer(["--base-path", "/shop/v2"], { env: { PETSTORE_ADMIN_KEY, PETSTORE_STORAGE } })
      assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/shop\/v2$/)
      const keys = yield* get(`${server.url}/api-keys`, PETSTORE_ADMIN_KEY)
      assert.deepStrictEqual([keys.status, yield* Effect.promise(() => keys.json())], [200, []])
      yield* send("SIGTERM", server)
      assert.strictEqual(yield* server.ended, 0)
      assert.notInclude(server.stdout() + server.stderr(), PETSTORE_ADMIN_KEY)
    })
  )

  live("given a rate limit, then requests beyond it are refused", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:", "--rate-limit", "1"])
      const key = yield* printedKey(server)
      const statuses = [(yield* get(`${server.url}/pets`, key)).status, (yield* get(`${server.url}/pets`, key)).status]
      assert.deepStrictEqual(statuses, [200, 429])
    })
  )

  live("given another process on its file, then keys that it creates and revokes take effect at once", (folder) =>
    Effect.gen(function* () {
      const storage = ["--storage", `sqlite:${join(folder, "pets.db")}`]
      const server = yield* startServer(storage)
      const create = yield* startPetstore(["keys", "create", "--account", "shop", "--preset", "read", ...storage])
      assert.strictEqual(yield* create.ended, 0)
      assert.strictEqual(create.stderr(), "")
      const key = create.stdout().trim()
      assert.strictEqual((yield* get(`${server.url}/pets`, key)).status, 200)
      const revoke = yield* startPetstore(["keys", "revoke", "2", ...storage])
      assert.strictEqual(yield* revoke.ended, 0)
      assert.strictEqual((yield* get(`${server.url}/pets`, key)).status, 401)
    })
  )

  live("given a port that is in use, then one line reports it, no key is created, and the exit code is 1", () =>
    Effect.gen(function* () {
      const first = yield* startServer(["--storage", "memory:"])
      const { port } = new URL(first.url)
      const second = yield* startPetstore(["serve", "--port", port, "--storage", "memory:"])
      assert.strictEqual(yield* second.ended, 1)
      assert.strictEqual(second.stdout(), "")
      assert.strictEqual(
        second.stderr(),
        `petstore: Cannot listen on 127.0.0.1 port ${port}: another program is listening there.\n`
      )
    })
  )

  live("given a signal that arrives twice at once, then it drains all the same and exits with 0", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      yield* send("SIGINT", server)
      yield* send("SIGTERM", server)
      yield* send("SIGINT", server)
      assert.strictEqual(yield* server.ended, 0)
      assert.match(server.stderr(), /petstore has stopped/)
    })
  )

  live("given a signal again and again while the process ends, then it exits with 0 all the same", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      const again = setInterval(() => server.child.kill("SIGTERM"), 1)
      const code = yield* Effect.ensuring(
        server.ended,
        Effect.sync(() => clearInterval(again))
      )
      assert.strictEqual(code, 0)
      assert.match(server.stderr(), /petstore has stopped/)
    })
  )

  live("given a request in progress, then it gets its response before the server ends", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      const socket = yield* halfARequest(server.url, yield* printedKey(server))
      let response = ""
      socket.on("data", (data) => {
        response += data
      })
      yield* send("SIGTERM", server)
      yield* server.said(/petstore is stopping/)
      socket.write('"Tom","categoryId":1}'.padEnd(42))
      yield* Effect.promise(() => new Promise((resolve) => socket.once("close", resolve)))
      assert.strictEqual(yield* server.ended, 0)
      assert.match(response, /^HTTP\/1\.1 409 /)
      assert.include(response, "unknown_category")
    })
  )

  live("given a second signal a second after the first, then it ends at once, without finishing requests", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"])
      yield* halfARequest(server.url, yield* printedKey(server))
      yield* send("SIGTERM", server)
      yield* server.said(/petstore is stopping/)
      const repeated = yield* Effect.forkChild(Effect.forever(Effect.delay(send("SIGTERM", server), "100 millis")))
      // Would be 0 if it had drained.
      assert.strictEqual(yield* server.ended, 143)
      assert.isUndefined(repeated.pollUnsafe())
    })
  )
})

describe("a command that npm started", () => {
  live("given the end of the shell in between, which forwards no signal, then it drains and ends", () =>
    Effect.gen(function* () {
      const server = yield* startServer(["--storage", "memory:"], {
        env: { npm_lifecycle_event: "start" },
        shell: true
      })
      yield* send("SIGTERM", server)
      // The end of its output is the end of the server, which outlives the shell.
      yield* server.ended
      assert.match(server.stderr(), /petstore is stopping \(SIGTERM\)[\s\S]*petstore has stopped/)
    })
  )
})

describe("petstore import", () => {
  live("given Ctrl-C, then committed rows stay, and the same command resumes after them", (folder) =>
    Effect.gen(function* () {
      const file = join(folder, "pets.csv")
      const rows = 10_000
      writeFileSync(file, `name,category\n${Array.from({ length: rows }, (_, at) => `Pet ${at},Cat\n`).join("")}`)
      const storage = ["--storage", `sqlite:${join(folder, "pets.db")}`]
      const stopped = yield* startPetstore(["import", file, ...storage])
      yield* waitForFile(join(folder, "pets.db-wal"))
      yield* send("SIGINT", stopped)
      assert.strictEqual(yield* stopped.ended, 130)
      assert.strictEqual(stopped.stdout(), "")
      const said = stopped.stderr()
      const [, line, imported] = /^petstore: The rows up to line (\d+) are done, (\d+) imported; run/.exec(said) ?? []
      assert.match(said, /^petstore: (Nothing was imported|The rows .* run the same command again to resume)\.\n$/)

      const rest = yield* startPetstore(["import", file, ...storage])
      assert.strictEqual(yield* rest.ended, 0, rest.stderr())
      assert.include(rest.stdout(), `imported ${rows}\n`)
      assert.strictEqual(
        rest.stderr(),
        line === undefined ? "" : `Resuming after line ${line}: ${imported} imported and 0 rejected so far.\n`
      )
      const database = new DatabaseSync(join(folder, "pets.db"))
      const { pets } = database.prepare("SELECT count(*) AS pets FROM petstore_pets").get() ?? {}
      database.close()
      assert.strictEqual(pets, rows)
    })
  )

  live("given an input that cannot be read, then one line shows the reason, and no database is created", (folder) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/self/mem")) return yield* Effect.logWarning("Skipped: there is no /proc here")
      const args = ["import", "/proc/self/mem", "--format", "csv", "--storage", "sqlite:pets.db"]
      const done = yield* startPetstore(args, { cwd: folder })
      assert.strictEqual(yield* done.ended, 1)
      assert.match(done.stderr(), /^petstore: The file cannot be read: .*\. Nothing was imported\.\n$/)
      assert.isFalse(existsSync(join(folder, "pets.db")))
    })
  )

  live("given an input beside which nothing can be written, then the list is in the current folder", (folder) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/version")) return yield* Effect.logWarning("Skipped: there is no /proc here")
      const args = ["import", "/proc/version", "--format", "ndjson", "--storage", "sqlite:pets.db"]
      const done = yield* startPetstore(args, { cwd: folder })
      assert.strictEqual(yield* done.ended, 0)
      assert.include(done.stdout(), "rejected 1, listed in version.rejected.csv\n")
      assert.isTrue(existsSync(join(folder, "version.rejected.csv")))
    })
  )
})

const bin = fileURLToPath(new URL("../../bin/petstore.js", import.meta.url))

describe("bin/petstore.js", () => {
  const copied = (folder: string): string => {
    mkdirSync(join(folder, "bin"))
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    copyFileSync(bin, join(folder, "bin/petstore.js"))
    return join(folder, "bin/petstore.js")
  }
  const pretend = (version: string): string =>
    `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`

  live("given a program that is not built, then one line reports it", (folder) =>
    Effect.sync(() => {
      const { status, stderr, stdout } = spawnSync(process.execPath, [copied(folder)], { encoding: "utf8" })
      assert.deepStrictEqual([status, stdout], [1, ""])
      assert.strictEqual(stderr, "petstore: the program is not built yet. Run npm run build first.\n")
    })
  )

  for (const version of ["18.20.8", "20.19.5", "22.22.9"]) {
    live(`given Node.js ${version}, then one line says which one is needed`, (folder) =>
      Effect.sync(() => {
        const args = ["--import", pretend(version), copied(folder), "serve"]
        const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
        assert.deepStrictEqual([status, stdout], [1, ""])
        assert.match(stderr, new RegExp(`^petstore: Node\\.js 22\\.23 or newer is needed; this is ${version}\\..*\n$`))
      })
    )
  }

  for (const version of ["22.23.0", "24.0.0", "100.1.0"]) {
    live(`given Node.js ${version}, then it goes on`, (folder) =>
      Effect.sync(() => {
        const file = copied(folder)
        mkdirSync(join(folder, "dist/cli"), { recursive: true })
        writeFileSync(join(folder, "dist/cli/main.js"), 'console.log("built", process.argv[2])')
        const { stdout } = spawnSync(process.execPath, ["--import", pretend(version), file, "--x"], {
          encoding: "utf8"
        })
        assert.strictEqual(stdout, "built --x\n")
      })
    )
  }
})
