import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
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

/** Starts an app that is built, and returns its address and how to stop it. */
const start = async (app: string) => {
  const port = await freePort()
  const server = spawn(process.execPath, [next, "start", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: app,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let printed = ""
    const read = (text: string): void => {
      printed += text
      if (printed.includes("Ready in")) resolve()
    }
    server.stdout.setEncoding("utf8").on("data", read)
    server.stderr.setEncoding("utf8").on("data", read)
    server.once("close", () => reject(new Error(`next start ended: ${printed}`)))
  })
  const stop = async (): Promise<void> => {
    server.kill("SIGKILL")
    await ended
  }
  return { origin: `http://127.0.0.1:${port}`, stop }
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

    for (const bundler of ["turbopack", "webpack"]) {
      it(`given next build --${bundler}, when the app is started where the packages are gone, then the page, the API and its reference work`, async () => {
        for (const made of [".next", "shop.db", "shop.db-wal", "shop.db-shm", "shop.db-head"]) {
          await rm(join(app, made), { recursive: true, force: true })
        }
        await writeFile(join(app, "next.config.js"), config(tool, bundler))
        await run(process.execPath, [next, "build", `--${bundler}`], { cwd: app, env })
        await rename(join(app, "node_modules"), join(app, "gone"))
        const { origin, stop } = await start(app)
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
          assert.strictEqual(JSON.parse(await textAt("/petstore/openapi.json")).openapi.slice(0, 2), "3.")
        } finally {
          await stop()
          await rename(join(app, "gone"), join(app, "node_modules"))
        }
      }, 480_000)
    }
  }
)
