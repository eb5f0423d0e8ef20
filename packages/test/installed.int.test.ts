import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { testDatabase } from "../adapters/test/support/postgres.ts"
import { attempt, run } from "./support/command.ts"
import { installed, installedWithPeers } from "./support/installed.ts"
import { layOut } from "./support/strict.ts"
import { entries, entriesOf, folders, manifestOf, optionalPeers } from "./support/workspace.ts"

const { project } = await installed()
const { project: fullProject } = await installedWithPeers()

const node = (args: ReadonlyArray<string>, cwd = project): Promise<string> =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { cwd })

/** Takes from Node.js what version 20 does not have. */
const likeNode20: ReadonlyArray<string> = [
  "--no-experimental-sqlite",
  "--import",
  `data:text/javascript,${encodeURIComponent(`
    const missing = new Map([
      [Array, ["fromAsync"]],
      [Map, ["groupBy"]],
      [Object, ["groupBy"]],
      [Promise, ["try", "withResolvers"]],
      [RegExp, ["escape"]],
      [Set.prototype, ["difference", "intersection", "isDisjointFrom", "isSubsetOf", "isSupersetOf", "union"]],
      [Iterator.prototype, ["drop", "every", "filter", "find", "flatMap", "map", "reduce", "some", "take", "toArray"]]
    ])
    for (const [object, names] of missing) for (const name of names) delete object[name]
    delete globalThis.Iterator
  `)}`
]

interface Installed {
  readonly hasInstallScript?: boolean
}

/** The packages that are installed in a project, by their path in it. */
const installedIn = async (place: string): Promise<Readonly<Record<string, Installed>>> =>
  JSON.parse(await readFile(join(place, "package-lock.json"), "utf8")).packages

const expected = { complete: true, refused: "insufficient_stock", ok: true }

describe("given an empty project that the packages were installed into", () => {
  it("then it holds the packages and what they require, and no optional peer", async () => {
    const names = Object.keys(await installedIn(project))
    for (const folder of folders) assert.include(names, `node_modules/${manifestOf(folder).name}`)
    for (const name of Object.keys(optionalPeers)) assert.notInclude(names, `node_modules/${name}`)
  })

  for (const [what, place] of Object.entries({ "is required": project, "can be used": fullProject })) {
    it(`then nothing that ${what} runs a script when it is installed`, async () => {
      const installed = Object.entries(await installedIn(place))
      assert.isAbove(installed.length, folders.length)
      assert.deepStrictEqual(
        installed.filter(([, { hasInstallScript }]) => hasInstallScript === true),
        []
      )
    })
  }

  it("when a program of modules runs, then the store in memory works", async () => {
    assert.deepStrictEqual(JSON.parse(await node(["memory.ts"])), expected)
  })

  it("when a program of modules runs, then the store in a file works", async () => {
    assert.deepStrictEqual(JSON.parse(await node(["sqlite.ts", join(project, "modules.db")])), { ...expected, kept: 1 })
  })

  it("when a program opens PostgreSQL without the package pg, then it fails and names what to install", async () => {
    const { code, stderr } = await attempt(process.execPath, ["postgres.ts", "postgres://127.0.0.1:1/shop"], {
      cwd: project
    })
    assert.notStrictEqual(code, 0)
    assert.include(stderr, "npm install pg")
  })

  it("when a program of modules runs with the package pg, then the store in PostgreSQL works", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(testDatabase, (url) =>
          Effect.promise(async () => {
            await cp(join(project, "postgres.ts"), join(fullProject, "postgres.ts"))
            await cp(join(project, "story.ts"), join(fullProject, "story.ts"))
            assert.deepStrictEqual(JSON.parse(await node(["postgres.ts", url], fullProject)), { ...expected, kept: 1 })
          })
        )
      )
    )
  })

  it("when the engine contract runs on the newest effect that the packages take, then it holds in memory and on SQLite", async () => {
    const reports: Readonly<Record<string, { readonly ok: boolean; readonly text: string }>> = JSON.parse(
      await node(["contract.ts"])
    )
    assert.sameMembers(Object.keys(reports), ["memory", "SQLite"])
    for (const { ok, text } of Object.values(reports)) assert.isTrue(ok, text)
  })

  it("when a CommonJS program requires the packages, then store, server and client work", async () => {
    assert.deepStrictEqual(JSON.parse(await node(["required.cjs", join(project, "required.db")])), {
      name: "Cats",
      rejected: "unknown_category"
    })
  })

  it("when the runtime has no node:sqlite, then opening a store in a file fails and names the Node.js version that has it", async () => {
    const file = join(project, "absent.db")
    const { code, stderr } = await attempt(process.execPath, ["--no-experimental-sqlite", "sqlite.ts", file], {
      cwd: project
    })
    assert.notStrictEqual(code, 0)
    assert.include(stderr, `InternalError: Cannot use ${file}: there is no node:sqlite in this runtime`)
    assert.include(stderr, "Use Node.js 22.23 or newer.")
  })

  it("when Node.js is so old that it lacks newer functions too, then opening a store in a file says the same", async () => {
    const file = join(project, "old.db")
    const args = [...likeNode20, "sqlite.ts", file]
    const { code, stderr } = await attempt(process.execPath, args, { cwd: project })
    assert.notStrictEqual(code, 0)
    assert.include(stderr, "Use Node.js 22.23 or newer.")
  })

  it("when Node.js is as old, then every entry can be imported nevertheless", async () => {
    const program = entries.map((entry) => `await import(${JSON.stringify(entry)})`).join("\n")
    await node([...likeNode20, "--input-type=module", "--eval", program])
  })

  it("then every entry can be imported and required, as one and the same module", async () => {
    const program = `import { createRequire } from "node:module"
      const require = createRequire(process.cwd() + "/")
      const seen = ${JSON.stringify(entries)}.map(async (entry) => {
        const required = require(entry)
        return { entry, isEmpty: Object.keys(required).length === 0, isSame: required === (await import(entry)) }
      })
      console.log(JSON.stringify(await Promise.all(seen)))`
    assert.deepStrictEqual(
      JSON.parse(await node(["--input-type=module", "--eval", program])),
      entries.map((entry) => ({ entry, isEmpty: false, isSame: true }))
    )
  })

  for (const folder of folders) {
    it(`then ${manifestOf(folder).name} exports its package.json with its version`, async () => {
      const { name, version } = manifestOf(folder)
      assert.strictEqual((await node(["--print", `require("${name}/package.json").version`])).trim(), version)
    })
  }
})

describe("given a project whose packages find only what they declare", () => {
  for (const folder of folders) {
    const manifest = manifestOf(folder)
    it(`then every entry of ${manifest.name} loads`, async () => {
      const store = await mkdtemp(join(dirname(project), "store-"))
      const place = (await layOut(project, store)).get(manifest.name) ?? assert.fail(manifest.name)
      const app = join(store, "app")
      const link = join(app, "node_modules", manifest.name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(place, link)
      const program = entriesOf(manifest).map((entry) => `await import(${JSON.stringify(entry)})`)
      await writeFile(join(app, "main.mjs"), program.join("\n"))
      await node(["main.mjs"], app)
    })
  }
})
