import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../../test/support/folder.ts"

const live = (name: string, body: (folder: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, body)))

const bin = fileURLToPath(new URL("../../bin/", import.meta.url))

describe("bin/petstore.js", () => {
  const copied = (folder: string): string => {
    mkdirSync(join(folder, "bin"))
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    for (const name of ["petstore.js", "bundle.js"]) copyFileSync(join(bin, name), join(folder, "bin", name))
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

  for (const version of ["20.19.5", "22.22.9"]) {
    live(`given Node.js ${version}, then one line says which one is needed`, (folder) =>
      Effect.sync(() => {
        const args = ["--import", pretend(version), copied(folder), "serve"]
        const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
        assert.deepStrictEqual([status, stdout], [1, ""])
        assert.match(stderr, new RegExp(`^petstore: Node\\.js 22\\.23 or newer is needed; this is ${version}\\..*\n$`))
      })
    )
  }

  for (const version of ["22.23.0", "100.1.0"]) {
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

  live(
    "given objects that wait for a commit, then serve and import do not let V8 make later ones in the old generation",
    (folder) =>
      Effect.sync(() => {
        const file = copied(folder)
        mkdirSync(join(folder, "dist/cli"), { recursive: true })
        const source = JSON.stringify(new URL("youngGeneration.ts", import.meta.url).href)
        writeFileSync(join(folder, "dist/cli/youngGeneration.js"), `export * from ${source}`)
        const main = "const alive = []; for (let id = 0; id < 1_000_000; id++) alive.push({ id, list: [id] })"
        writeFileSync(join(folder, "dist/cli/main.js"), main)
        /** What V8 writes about the literals whose objects it counts. */
        const decisions = (command: string): string =>
          spawnSync(process.execPath, ["--trace-pretenuring-statistics", file, command], { encoding: "utf8" }).stdout
        for (const command of ["serve", "import"]) assert.strictEqual(decisions(command), "")
        assert.include(decisions("verify"), "maybe tenure")
      })
  )

  /** Lays out what a build has made, with the bundle made at the time 2. */
  const built = (folder: string): string => {
    const file = copied(folder)
    for (const [form, at] of [
      ["cli", 1],
      ["bundle", 2]
    ] as const) {
      const main = join(folder, "dist", form, "main.js")
      mkdirSync(dirname(main), { recursive: true })
      writeFileSync(main, `console.log(${JSON.stringify(form)})`)
      utimesSync(main, at, at)
    }
    return file
  }
  const outputOf = (file: string): string => spawnSync(process.execPath, [file], { encoding: "utf8" }).stdout

  live("given a bundle, as in an installed package, then it runs the bundle", (folder) =>
    Effect.sync(() => assert.strictEqual(outputOf(built(folder)), "bundle\n"))
  )

  for (const note of [
    "packages/http/dist/.tsbuildinfo",
    "packages/adapters/dist/.tsbuildinfo",
    "packages/core/dist/.tsbuildinfo",
    "node_modules/.package-lock.json"
  ]) {
    live(`given a checkout, when ${note} is newer than the bundle, then it runs the modules`, (folder) =>
      Effect.sync(() => {
        const own = join(folder, "packages/http")
        mkdirSync(own, { recursive: true })
        const file = built(own)
        mkdirSync(join(folder, dirname(note)), { recursive: true })
        writeFileSync(join(folder, note), "")
        utimesSync(join(folder, note), 1, 1)
        assert.strictEqual(outputOf(file), "bundle\n")
        utimesSync(join(folder, note), 3, 3)
        assert.strictEqual(outputOf(file), "cli\n")
      })
    )
  }
})
