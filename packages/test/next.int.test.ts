import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdtemp, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../adapters/test/support/freePort.ts"
import { run } from "./support/command.ts"
import { installed } from "./support/installed.ts"
import { root } from "./support/workspace.ts"

const { project } = await installed()

const tool = join(root, "tools/platforms")
const next = join(tool, "node_modules/next/dist/bin/next")
const missing = existsSync(next) ? undefined : "Next.js is not installed: npm ci --prefix tools/platforms"

const env = {
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
  NODE_OPTIONS: "--disable-warning=ExperimentalWarning"
}

/** Types are checked once, and what Turbopack builds is minified: with webpack, that and its processes take a quarter of the time. */
const lean: Readonly<Record<string, string>> = {
  turbopack: `experimental: { turbopackFileSystemCacheForBuild: false, turbopackSourceMaps: false }`,
  webpack: `typescript: { ignoreBuildErrors: true },
  experimental: { cpus: 1, webpackBuildWorker: false },
  webpack: (config) => ({ ...config, optimization: { ...config.optimization, minimize: false } })`
}

/**
 * All modules are below one folder, which is that of the app where Next.js is installed into it. Lists of the files that a copy
 * of the app needs are left out, as caches and maps are: they take half of the time, and nothing here reads them.
 */
const config = (folder: string, bundler: string) => `export default {
  turbopack: { root: ${JSON.stringify(folder)} },
  outputFileTracingRoot: ${JSON.stringify(folder)},
  outputFileTracingExcludes: { "*": ["**/*"] },
  ${lean[bundler]}
}`

/** Starts an app by a command of Next.js, and returns its address, what it prints and how to stop it. */
const start = async (app: string, [command, ...flags]: readonly ["dev" | "start", ...ReadonlyArray<string>]) => {
  const port = await freePort()
  const server = spawn(process.execPath, [next, command, ...flags, "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: app,
    env: { ...process.env, ...env, NODE_ENV: command === "dev" ? "development" : "production" },
    // Its processes end together.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let printed = ""
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const read = (text: string): void => {
      printed += text
      if (printed.includes("Ready in")) resolve()
    }
    server.stdout.setEncoding("utf8").on("data", read)
    server.stderr.setEncoding("utf8").on("data", read)
    server.once("close", () => reject(new Error(`next ${command} ended: ${printed}`)))
  })
  const stop = async (): Promise<void> => {
    if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL")
    await ended
  }
  return { origin: `http://127.0.0.1:${port}`, printed: () => printed, stop }
}

/** A listener and a consumer, which write down what they receive. */
const listening = `  const { appendFileSync } = await import("node:fs")
  await petstore.events.subscribe(({ seq }) => appendFileSync("seen.txt", \`listener \${seq}\\n\`))
  await petstore.events.consume("seen", async ({ seq }) => appendFileSync("seen.txt", \`consumer \${seq}\\n\`))
`

/** How often the processes of this machine have a file open. */
const descriptorsOf = async (file: string): Promise<number> => {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const open = await Promise.all(
    processes.map(async (pid) => {
      const folder = `/proc/${pid}/fd`
      const names = await readdir(folder).catch(() => [])
      const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")))
      return targets.filter((target) => target === file).length
    })
  )
  return open.reduce((sum, count) => sum + count, 0)
}

const swaggerUi = join(root, "node_modules/swagger-ui-dist")

describe.skipIf(missing !== undefined)(
  `the Next.js example${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let app = ""

    beforeAll(async () => {
      app = await mkdtemp(join(tool, "project-"))
      await cp(join(root, "examples/nextjs"), app, { recursive: true })
      await cp(join(project, "node_modules"), join(app, "node_modules"), { recursive: true })
      await writeFile(join(app, "package.json"), '{ "private": true, "type": "module" }')
    })

    afterAll(() => rm(app, { recursive: true, force: true }))

    const clean = async () => {
      for (const made of [".next", "shop.db", "shop.db-wal", "shop.db-shm", "shop.db-head", "seen.txt"]) {
        await rm(join(app, made), { recursive: true, force: true })
      }
    }

    for (const bundler of ["turbopack", "webpack"]) {
      it(`given next dev --${bundler}, when files are edited, then one petstore stays open, and listens once`, async () => {
        await clean()
        await writeFile(join(app, "next.config.js"), config(tool, bundler))
        const shop = join(app, "lib/petstore.ts")
        const route = join(app, "app/for-sale/route.ts")
        const opening = await readFile(shop, "utf8")
        const selling = await readFile(route, "utf8")
        const edit = async (count: number) => {
          await writeFile(shop, opening.replace("  return {", `${listening}  // Edited ${count} times.\n  return {`))
          await writeFile(route, selling.replace("Response.json(", `Response.json([${count}, `).replace("))", ")])"))
        }
        await edit(0)
        const { origin, printed, stop } = await start(app, ["dev", `--${bundler}`])
        const responds = async (count: number) => {
          const shown = async () => (await (await fetch(`${origin}/for-sale`)).text()).startsWith(`[${count},`)
          while (!(await shown())) await setTimeout(100)
        }
        try {
          await responds(0)
          assert.strictEqual((await fetch(`${origin}/petstore/health/live`)).status, 200)
          const descriptors = await descriptorsOf(join(app, "shop.db"))
          for (let count = 1; count <= 5; count++) {
            await edit(count)
            await responds(count)
          }
          assert.strictEqual((await fetch(`${origin}/petstore/health/live`)).status, 200)
          assert.strictEqual(await descriptorsOf(join(app, "shop.db")), descriptors)
          const response = await fetch(`${origin}/petstore/v1/categories`, {
            method: "POST",
            headers: { "content-type": "application/json", cookie: "session=sara" },
            body: '{"name":"Cats"}'
          })
          assert.strictEqual(response.status, 201)
          const seen = () => readFile(join(app, "seen.txt"), "utf8").catch(() => "")
          while (!/listener.*consumer|consumer.*listener/s.test(await seen())) await setTimeout(100)
          await responds(5)
          assert.deepStrictEqual((await seen()).trim().split("\n").sort(), ["consumer 1", "listener 1"])
          assert.notInclude(printed(), "is open twice")
        } finally {
          await stop()
          await writeFile(shop, opening)
          await writeFile(route, selling)
        }
      }, 480_000)

      it(`given next build --${bundler}, when the app is started where the packages are gone, then the page, the API, its reference and the console work`, async () => {
        await clean()
        await writeFile(join(app, "next.config.js"), config(tool, bundler))
        await run(process.execPath, [next, "build", `--${bundler}`], { cwd: app, env })
        await rename(join(app, "node_modules"), join(app, "gone"))
        const { origin, stop } = await start(app, ["start"])
        try {
          const post = (path: string, body: object) =>
            fetch(`${origin}/petstore/v1/${path}`, {
              method: "POST",
              headers: { "content-type": "application/json", cookie: "session=sara" },
              body: JSON.stringify(body)
            })
          const textAt = async (path: string): Promise<string> => {
            const response = await fetch(origin + path)
            assert.strictEqual(response.status, 200, path)
            return response.text()
          }
          assert.strictEqual((await post("categories", { name: "Cats" })).status, 201)
          assert.strictEqual((await post("pets", { name: "Tom", categoryId: 1 })).status, 201)
          assert.strictEqual((await fetch(`${origin}/petstore/v1/pets`)).status, 401)
          assert.include(await textAt("/"), "<li>Tom</li>")
          assert.strictEqual(await textAt("/for-sale"), '["Tom"]')
          assert.strictEqual(JSON.parse(await textAt("/petstore")).docs, "/petstore/docs")
          assert.include(await textAt("/petstore/docs"), "swagger-ui-bundle.js")
          for (const name of ["petstore.css", "petstore.js"]) {
            assert.strictEqual(
              await textAt(`/petstore/docs/${name}`),
              await readFile(join(root, "packages/http/reference-page", name), "utf8")
            )
          }
          for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
            assert.strictEqual(await textAt(`/petstore/docs/${name}`), await readFile(join(swaggerUi, name), "utf8"))
          }
          assert.include(await textAt("/petstore/console"), 'src="console/console.js"')
          for (const name of ["console.css", "console.js"]) {
            assert.strictEqual(
              await textAt(`/petstore/console/${name}`),
              await readFile(join(root, "packages/http/console/dist", name), "utf8")
            )
          }
          const session = await fetch(`${origin}/petstore/v1/session`, { headers: { cookie: "session=carl" } })
          assert.deepStrictEqual(await session.json(), { actor: "carl", accountId: 2, scopes: ["pets:read"] })
          assert.strictEqual(JSON.parse(await textAt("/petstore/openapi.json")).openapi.slice(0, 2), "3.")
        } finally {
          await stop()
          await rename(join(app, "gone"), join(app, "node_modules"))
        }
      }, 480_000)
    }
  }
)
