import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join, matchesGlob } from "node:path"
import { setTimeout } from "node:timers/promises"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { freePort } from "../../packages/adapters/test/support/freePort.ts"
import { temporaryFolder } from "../../packages/http/test/support/folder.ts"
import { startServer } from "../../packages/http/test/support/PetstoreProcess.ts"

const text = (name: string) => readFile(new URL(name, import.meta.url), "utf8")

/** Why tests with a program are skipped; undefined if it is installed. */
const missing = (program: string, version: string): string | undefined =>
  spawnSync(program, [version]).status === 0 ? undefined : `${program} is not installed`

const PETSTORE_ADMIN_KEY = "deployment-admin-key-0123456789"

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })

/** Starts a program that listens on a port, which does not outlive the scope. */
const start = (program: string, args: ReadonlyArray<string>, port: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(program, args, { stdio: "ignore" })),
      (running) =>
        Effect.promise(async () => {
          if (running.exitCode !== null) return
          running.kill("SIGTERM")
          await once(running, "exit")
        })
    )
    yield* Effect.promise(async () => {
      while (!(await isOpen(port))) {
        if (child.exitCode !== null) throw new Error(`${program} has ended`)
        await setTimeout(50)
      }
    })
  })

const openssl = missing("openssl", "version")

/** Makes a certificate for 127.0.0.1, and has it trusted by the `fetch` of this process while the scope is open. */
const certificate = (folder: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const key = join(folder, "privkey.pem")
    const file = join(folder, "fullchain.pem")
    const names = ["-subj", "/CN=petstore", "-addext", "subjectAltName=IP:127.0.0.1"]
    const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", ...names]
    const { status, stderr } = spawnSync("openssl", [...args, "-keyout", key, "-out", file], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    const trusted = getCACertificates()
    yield* Effect.acquireRelease(
      Effect.sync(() => setDefaultCACertificates([...trusted, readFileSync(file, "utf8")])),
      () => Effect.sync(() => setDefaultCACertificates(trusted))
    )
  })

const proxies = [
  {
    name: "nginx",
    file: "nginx.conf",
    version: "-v",
    protocol: "https",
    missing: openssl,
    start: (file: string, folder: string, port: number) =>
      start("nginx", ["-c", file, "-p", folder, "-g", `pid ${folder}/pid; error_log ${folder}/log; daemon off;`], port)
  },
  {
    name: "caddy",
    file: "Caddyfile",
    version: "version",
    protocol: "http",
    missing: undefined,
    start: (file: string, _folder: string, port: number) =>
      start("caddy", ["run", "--adapter", "caddyfile", "--config", file], port)
  }
]

describe("the server behind a proxy", () => {
  for (const proxy of proxies) {
    const reason = missing(proxy.name, proxy.version) ?? proxy.missing
    it.live.skipIf(reason !== undefined)(
      `given ${proxy.name}${reason === undefined ? "" : ` (skipped: ${reason})`}, then links lead through it, events come at once, and the log has the client's address`,
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const port = yield* Effect.promise(freePort)
          const flags = [
            "--mount-path",
            "/petstore",
            "--trust-proxy",
            "1",
            "--access-log",
            "on",
            "--log-format",
            "json"
          ]
          const server = yield* startServer(["--storage", "memory:", ...flags], { env: { PETSTORE_ADMIN_KEY } })
          const configuration = (yield* Effect.promise(() => text(proxy.file)))
            .replaceAll("127.0.0.1:8080", new URL(server.url).host)
            .replaceAll(proxy.protocol === "https" ? "127.0.0.1:8443" : "127.0.0.1:8000", `127.0.0.1:${port}`)
            .replaceAll("127.0.0.1:8000", `127.0.0.1:${yield* Effect.promise(freePort)}`)
            .replaceAll("/etc/ssl/petstore", folder)
          const file = join(folder, proxy.file)
          yield* Effect.promise(() => writeFile(file, configuration))
          if (proxy.protocol === "https") yield* certificate(folder)
          yield* proxy.start(file, folder, port)
          const origin = `${proxy.protocol}://127.0.0.1:${port}`
          const authorization = `Bearer ${PETSTORE_ADMIN_KEY}`
          yield* Effect.promise(async (signal) => {
            const stream = await fetch(`${origin}/petstore/v1/events/stream`, { signal, headers: { authorization } })
            const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
            const created = await fetch(`${origin}/petstore/v1/categories`, {
              method: "POST",
              // What the client claims stands before what the proxy adds.
              headers: { authorization, "content-type": "application/json", "x-forwarded-for": "203.0.113.9" },
              body: '{"name":"Dogs"}'
            })
            assert.strictEqual(created.status, 201)
            const location = created.headers.get("location") ?? assert.fail("There is no Location")
            assert.strictEqual(location, "/petstore/v1/categories/1")
            assert.strictEqual((await fetch(origin + location, { headers: { authorization } })).status, 200)
            let received = ""
            while (!received.includes("category.created")) {
              const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
              if (done) assert.fail(`The stream has ended after ${received}`)
              received += value
            }
            await reader?.cancel()
          })
          const [line] = yield* server.said(/\{[^\n]*"POST \/v1\/categories 201"[^\n]*\}/)
          const { actor, address, operation } = JSON.parse(line)
          assert.deepStrictEqual(
            { actor, address, operation },
            { actor: "admin", address: "127.0.0.1", operation: "createCategory" }
          )
        }).pipe(Effect.scoped)
    )
  }
})

/** The values of `ENV` in the last stage of a Dockerfile, or of `Environment=` in a unit. */
const environmentOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...file.matchAll(/^(?:ENV |Environment=)(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value])
  )

/** Runs the installed command as a file does, with its data in a temporary folder instead of `data`, and on free ports. */
const served = (file: string, data: string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { HOST, PETSTORE_METRICS, ...environment } = environmentOf(file)
    const PETSTORE_STORAGE = environment.PETSTORE_STORAGE?.replace(data, folder) ?? ""
    assert.strictEqual(PETSTORE_STORAGE, `sqlite:${folder}/petstore.db`)
    const env = { ...environment, PETSTORE_STORAGE, PETSTORE_ADMIN_KEY, PETSTORE_METRICS: "0" }
    const server = yield* startServer(["--host", "127.0.0.1"], { built: true, env })
    const [, checks = ""] = yield* server.said(/Metrics: http:\/\/([\d.:]+)/)
    return { host: HOST, metrics: PETSTORE_METRICS, checks, ...server }
  })

describe("the image of Docker", () => {
  it.live(
    "runs the command that is installed, listens on all addresses, and its health check sees on a port of its own that it is ready",
    () =>
      Effect.gen(function* () {
        const file = yield* Effect.promise(() => text("Dockerfile"))
        const server = yield* served(file, "/data")
        assert.deepStrictEqual([server.host, server.metrics], ["0.0.0.0", "0.0.0.0:9464"])
        const [program, ...args]: ReadonlyArray<string> = JSON.parse(/^HEALTHCHECK CMD (.*)$/m.exec(file)?.[1] ?? "[]")
        assert.strictEqual(program, "node")
        const check = (host: string) =>
          spawn(
            process.execPath,
            args.map((arg) => arg.replace("127.0.0.1:9464", host)),
            { stdio: "ignore" }
          )
        const [healthy] = yield* Effect.promise(() => once(check(server.checks), "exit"))
        assert.strictEqual(healthy, 0)
        const port = yield* Effect.promise(freePort)
        const [unhealthy] = yield* Effect.promise(() => once(check(`127.0.0.1:${port}`), "exit"))
        assert.strictEqual(unhealthy, 1)
      }).pipe(Effect.scoped)
  )
})

describe("the unit of systemd", () => {
  it.live("has an environment that the server accepts", () =>
    Effect.gen(function* () {
      const server = yield* served(yield* Effect.promise(() => text("petstore.service")), "/var/lib/petstore")
      assert.strictEqual(server.metrics, "9464")
      const ready = yield* Effect.promise(() => fetch(`http://${server.checks}/health/ready`))
      assert.strictEqual(ready.status, 200)
    }).pipe(Effect.scoped)
  )

  const reason = missing("systemd-analyze", "--version")
  const title = `is valid, and systemd rates its exposure below 3 of 10${reason === undefined ? "" : ` (skipped: ${reason})`}`
  it.live.skipIf(reason !== undefined)(title, () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const unit = (yield* Effect.promise(() => text("petstore.service"))).replace("/usr/bin/node", process.execPath)
      const file = join(folder, "petstore.service")
      yield* Effect.promise(() => writeFile(file, unit))
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" })
      assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
      const rated = spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=30", file], {
        encoding: "utf8"
      })
      assert.strictEqual(rated.status, 0, rated.stdout + rated.stderr)
    }).pipe(Effect.scoped)
  )
})

describe("given the folder that an image is built from", () => {
  const patterns = readFileSync(new URL("../../.dockerignore", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))

  /** Whether the last pattern that matches the file, or one of its folders, takes it into the build: the first one excludes everything. */
  const isTaken = (file: string): boolean => {
    const paths = file.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"))
    const last = patterns.findLast((pattern) => paths.some((path) => matchesGlob(path, pattern.replace("!", ""))))
    return last?.startsWith("!") ?? false
  }

  const databases = ["shop.db", "shop.sqlite", "shop.sqlite3"].flatMap((file) =>
    ["", "-wal", "-shm", "-head", "-journal", "-turns/1"].map((suffix) => `${file}${suffix}`)
  )
  const secrets = [...databases, "my-shop.key", "tls.pem", ".env", ".env.local", "server.log", "stock.rejected.csv"]

  it("when it has databases, keys and settings, then the build does not get them", () => {
    const folders = ["", "packages/", "packages/http/", "scripts/"]
    const files = folders.flatMap((folder) => secrets.map((name) => folder + name))
    assert.strictEqual(patterns[0], "*")
    assert.deepStrictEqual(files.filter(isTaken), [])
  })

  it("when it has sources, then the build gets them, and nothing that it does not need", () => {
    const needed = [".npmrc", "package-lock.json", "packages/http/src/cli/serve.ts", "scripts/sbom.ts"]
    const others = [".git/HEAD", "docs/http.md", "packages/core/node_modules/x.js", "packages/core/dist/x.js"]
    assert.deepStrictEqual([...others, ...needed].filter(isTaken), needed)
  })
})
