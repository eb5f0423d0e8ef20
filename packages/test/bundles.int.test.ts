import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { chromiumPath, noChromium, startBrowser } from "../http/test/support/browser.ts"
import { bundlers } from "./support/bundlers.ts"
import { run } from "./support/command.ts"
import { installed, installedWithPeers } from "./support/installed.ts"
import { root } from "./support/workspace.ts"

const { project } = await installed()
const { project: fullProject } = await installedWithPeers()

const expected = { complete: true, refused: "insufficient_stock", ok: true }

/** Runs a module in a folder without installed packages. */
const runAlone = async (code: string, ...rest: ReadonlyArray<string>): Promise<unknown> => {
  const folder = await mkdtemp(join(dirname(project), "alone-"))
  await writeFile(join(folder, "main.mjs"), code)
  const args = ["--disable-warning=ExperimentalWarning", "main.mjs", ...rest]
  return JSON.parse(await run(process.execPath, args, { cwd: folder }))
}

const reason = chromiumPath === undefined ? ` (skipped: ${noChromium})` : ""

/** Runs a module on a page of Chromium that has the files of a folder beside it. */
const runInChromium = Effect.fnUntraced(function* (code: string, folder: string = project) {
  const browser = yield* startBrowser(chromiumPath ?? "")
  return yield* Effect.promise(async () => {
    const page = await browser.newPage()
    const origin = "http://petstore.localhost/"
    await page.route(`${origin}**`, (route) => {
      const file = route.request().url().slice(origin.length)
      return file === ""
        ? route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Petstore</title>" })
        : route.fulfill({ path: join(folder, file) })
    })
    await page.goto(origin)
    await page.addScriptTag({ content: code, type: "module" })
    await page.waitForFunction(() => "storyResult" in globalThis)
    return page.evaluate(() => globalThis.storyResult)
  })
})

for (const [name, bundle] of Object.entries(bundlers)) {
  describe(`given an application that is bundled with ${name}`, () => {
    it("when it is for Node.js, then it runs on the store in memory", async () => {
      assert.deepStrictEqual(await runAlone(await bundle(project, "memory.ts", "node")), expected)
    })

    it("when it is for Node.js, then it runs on the store in a file", async () => {
      const code = await bundle(project, "sqlite.ts", "node")
      assert.deepStrictEqual(await runAlone(code, "petstore.db"), { ...expected, kept: 1 })
    })

    it("when it is for Node.js, then the reference page is in the bundle", async () => {
      const sizeOf = async (file: string) => (await readFile(join(root, file), "utf8")).length
      assert.deepStrictEqual(await runAlone(await bundle(project, "referencePage.ts", "node")), {
        docs: await sizeOf("packages/http/reference-page/index.html"),
        "docs/petstore.css": await sizeOf("packages/http/reference-page/petstore.css"),
        "docs/petstore.js": await sizeOf("packages/http/reference-page/petstore.js"),
        "docs/swagger-ui.css": await sizeOf("node_modules/swagger-ui-dist/swagger-ui.css"),
        "docs/swagger-ui-bundle.js": await sizeOf("node_modules/swagger-ui-dist/swagger-ui-bundle.js")
      })
    })

    it("when it uses the client in browsers, then the client has the size that its guide states", async () => {
      const guide = await readFile(join(root, "docs/client.md"), "utf8")
      const said = Number(new RegExp(`(\\d+) KiB with ${name}`).exec(guide)?.[1])
      const bytes = gzipSync(await bundle(project, "client.ts", "browser")).length
      assert.closeTo(bytes / 1024, said, 1)
    })

    it.effect.skipIf(chromiumPath === undefined)(`when it is for browsers, then it runs in Chromium${reason}`, () =>
      Effect.gen(function* () {
        const code = yield* Effect.promise(() => bundle(project, "browser.ts", "browser"))
        assert.deepStrictEqual(yield* runInChromium(code), expected)
      })
    )

    it.effect.skipIf(chromiumPath === undefined)(
      `when it receives webhooks in browsers, then they are verified in Chromium${reason}`,
      () =>
        Effect.gen(function* () {
          const code = yield* Effect.promise(() => bundle(project, "browserReceiver.ts", "browser"))
          assert.isBelow(gzipSync(code).length, 4096)
          assert.deepStrictEqual(yield* runInChromium(code), { verified: "pet.deleted", refused: "signature_mismatch" })
        })
    )

    it.effect.skipIf(chromiumPath === undefined)(
      `when it is for browsers and stores in PGlite, then it runs in Chromium${reason}`,
      () =>
        Effect.gen(function* () {
          const code = yield* Effect.promise(() => bundle(fullProject, "pglite.ts", "browser"))
          const files = join(fullProject, "node_modules/@electric-sql/pglite/dist")
          assert.deepStrictEqual(yield* runInChromium(code, files), { ...expected, kept: 1 })
        })
    )
  })
}

/** The tags of services, which are in a bundle that has them. */
const services = /"@petstore\/core\/[\w/]+"/g

/**
 * The size of a bundle of this program in bytes, what is of the core in it, and its services; and how much of it is loaded when the program
 * starts if it has chunks.
 */
const sizeOf = async (contents: string) => {
  const bundled = (splitting: boolean) =>
    build({
      absWorkingDir: project,
      stdin: { contents, resolveDir: project },
      bundle: true,
      minify: true,
      format: "esm",
      splitting,
      outdir: "out",
      write: false,
      metafile: true,
      logLevel: "error"
    })
  const { metafile, outputFiles } = await bundled(false)
  const [output] = Object.values(metafile.outputs)
  if (output === undefined) return assert.fail("Nothing was built")
  const core = "node_modules/@petstore/core/dist/"
  const own = Object.entries(output.inputs)
    .filter(([file]) => file.startsWith(core))
    .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
  const code = outputFiles.map(({ text }) => text).join("")
  const { outputs } = (await bundled(true)).metafile
  const loaded = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === "<stdin>"))
  for (const path of loaded) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") loaded.add(imported)
    }
  }
  const loadedBytes = [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
  return { bytes: output.bytes, loadedBytes, own, services: [...code.matchAll(services)].map(([tag]) => tag) }
}

describe("given a bundler that leaves out what is not used", () => {
  it("when core is imported and not used, then the bundle is empty", async () => {
    assert.strictEqual((await sizeOf('import "@petstore/core"')).bytes, 0)
  })

  it("when one class of error is used, then the errors are bundled, and neither rules nor engine", async () => {
    const error = await sizeOf('import { NotFound } from "@petstore/core"; console.log(NotFound)')
    const alone = await sizeOf('import { Data } from "effect"; console.log(Data.Error)')
    assert.isAbove(error.own, 0)
    assert.deepStrictEqual(error.services, [])
    assert.isBelow(error.bytes / alone.bytes, 1.25)
  })

  it("when one rule is used, then no service, no store and no petstore is bundled", async () => {
    const rule = await sizeOf('import { StockRules } from "@petstore/core/domain"; console.log(StockRules.statusOf)')
    const schema = await sizeOf('import * as Schema from "effect/Schema"; console.log(Schema.Struct)')
    assert.isAbove(rule.own, 0)
    assert.deepStrictEqual(rule.services, [])
    assert.isBelow(rule.bytes / schema.bytes, 1.15)
  })

  it("when a whole petstore is used, then it is a few times as large as an Effect program that does nothing", async () => {
    const petstore = await sizeOf('import { createPetstore } from "@petstore/core"; console.log(createPetstore)')
    const least = await sizeOf(`
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      import * as ManagedRuntime from "effect/ManagedRuntime"
      import * as Schema from "effect/Schema"
      const runtime = ManagedRuntime.make(Layer.effectDiscard(Effect.void))
      console.log(runtime.runPromise(Effect.void), Schema.decodeUnknownSync(Schema.Struct({ name: Schema.String })))`)
    assert.include(petstore.services, '"@petstore/core/runtime/UseCaseRunner"')
    // Without chunks, the rules of verify are in the bundle, and everything that they import is wrapped for their import.
    // 17 KiB of it encrypt secrets of webhooks, and are loaded by petstores with a key only.
    // The descriptions of tables are in it, with the checks that databases make.
    assert.isBelow(petstore.bytes / least.bytes, 6.7)
    assert.isBelow(petstore.loadedBytes / least.bytes, 5.75)
  })
})
