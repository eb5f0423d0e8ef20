import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { testDatabase } from "../adapters/test/support/postgres.ts"
import { attempt, run } from "./support/command.ts"
import { installed, installedWithPeers } from "./support/installed.ts"
import { layOut } from "./support/strict.ts"
import { manifestOf } from "./support/workspace.ts"

const { project } = await installed()
const { project: fullProject } = await installedWithPeers()

const bin = join(project, "node_modules/@petstore/http/bin/petstore.js")

const petstore = (cwd: string, ...args: ReadonlyArray<string>) =>
  attempt("npm", ["exec", "--no", "--offline", "--loglevel=error", "--", "petstore", ...args], { cwd })

const emptyFolder = (name: string): Promise<string> => mkdtemp(join(dirname(project), `${name}-`))

/** Starts a server on a store in memory, and stops it after use, which must end it well. */
const whileServing = async (use: (origin: string) => Promise<void>): Promise<void> => {
  const server = spawn(process.execPath, [bin, "serve", "--port", "0"], {
    cwd: await emptyFolder("served"),
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise<number | null>((resolve) => server.once("close", resolve))
  try {
    const origin = await new Promise<string>((resolve, reject) => {
      let said = ""
      server.stderr.setEncoding("utf8").on("data", (text) => {
        said += text
        const [, found] = /listening on (http:\/\/[^/\s]+)/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      })
      void ended.then(() => reject(new Error(said)))
    })
    await use(origin)
  } finally {
    server.kill("SIGTERM")
  }
  assert.strictEqual(await ended, 0)
}

describe("given the CLI of the packages that were installed into a project with effect alone", () => {
  it("when it is asked for its version, then it prints that of the package", async () => {
    const { code, stderr, stdout } = await petstore(project, "--version")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, manifestOf("http").version)
  })

  it("when it creates a store, then its file is there", async () => {
    const { code, stderr } = await petstore(project, "migrate", "--create")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(await readdir(project), "petstore.db")
  })

  it("when it serves, then the document, the reference page and the API respond", () =>
    whileServing(async (origin) => {
      const statuses: Record<string, number> = {}
      for (const path of ["/openapi.json", "/openapi.yaml", "/docs", "/health/ready", "/v1/pets"]) {
        const response = await fetch(origin + path)
        statuses[path] = response.status
        assert.isNotEmpty(await response.text())
      }
      assert.deepStrictEqual(statuses, {
        "/openapi.json": 200,
        "/openapi.yaml": 200,
        "/docs": 200,
        "/health/ready": 200,
        "/v1/pets": 401
      })
      const response = await fetch(`${origin}/docs/swagger-ui.css`)
      const place = join(project, "node_modules/@petstore/http/dist/server/routes/reference-page/swagger-ui.css.js")
      const { default: text } = await import(pathToFileURL(place).href)
      assert.strictEqual(await response.text(), text)
    }))

  it("when it opens PostgreSQL without the package pg, then it names what to install", async () => {
    const { code, stderr } = await petstore(project, "doctor", "--storage", "postgres://127.0.0.1:1/shop")
    assert.strictEqual(code, 1)
    assert.include(stderr, 'PostgreSQL needs the package "pg". Install it: npm install pg')
  })

  it("then its bundle keeps the names of functions and their lines, for stack traces", async () => {
    const bundled = join(project, "node_modules/@petstore/http/dist/bundle/main.js")
    const lines = (await readFile(bundled, "utf8")).split("\n")
    assert.isAbove(lines.length, 1_000)
    assert.isTrue(lines.some((line) => /\brunCli = /.test(line)))
  })
})

describe("given the CLI and the package pg", () => {
  const migrates = (place: string, cwd: string): Promise<void> =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(testDatabase, (url) =>
          Effect.promise(async () => {
            const command = [join(place, "bin/petstore.js"), "migrate", "--storage", url]
            assert.include(await run(process.execPath, command, { cwd }), "initial")
          })
        )
      )
    )

  it("when npm has installed them, then it migrates a schema of PostgreSQL", () =>
    migrates(join(fullProject, "node_modules/@petstore/http"), fullProject))

  it("when they are laid out as pnpm does, where only the adapters find pg, then it migrates one too", async () => {
    const store = await emptyFolder("store")
    const place = (await layOut(fullProject, store)).get("@petstore/http") ?? assert.fail()
    const pg = join(store, "@petstore/adapters/node_modules/pg")
    await mkdir(dirname(pg), { recursive: true })
    await symlink(join(fullProject, "node_modules/pg"), pg)
    await migrates(place, store)
  })
})
