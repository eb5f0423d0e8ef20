import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { assert, describe, it } from "vitest"
import { installed } from "./support/installed.ts"
import { folders, manifestOf, root } from "./support/workspace.ts"

const { project } = await installed()

const placeOf = (folder: string): string => join(project, "node_modules", manifestOf(folder).name)

/** The paths of all files of a package as it is installed. */
const filesOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(placeOf(folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(placeOf(folder), join(entry.parentPath, entry.name)))
}

const licences = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"]

/** The texts of the reference page, and the files that they are made from. */
const texts: Readonly<Record<string, string>> = {
  "index.html": "packages/http/reference-page/index.html",
  "petstore.css": "packages/http/reference-page/petstore.css",
  "petstore.js": "packages/http/reference-page/petstore.js",
  "swagger-ui.css": "node_modules/swagger-ui-dist/swagger-ui.css",
  "swagger-ui-bundle.js": "node_modules/swagger-ui-dist/swagger-ui-bundle.js"
}

describe("the packages", () => {
  for (const folder of folders) {
    const { bin, exports } = manifestOf(folder)

    it(`given ${folder}, when it is packed, then it has a README and the licence, and no test`, async () => {
      const files = await filesOf(folder)
      assert.includeMembers([...files], ["README.md", "LICENSE"])
      assert.deepStrictEqual(
        files.filter((path) => /\.test\.|^test\/|tsbuildinfo/.test(path)),
        []
      )
      const licence = (place: string) => readFile(join(place, "LICENSE"), "utf8")
      assert.strictEqual(await licence(placeOf(folder)), await licence(root))
    })

    it(`given ${folder}, when a registry shows it, then it links to the repository, its folder and the issue tracker`, async () => {
      const workspace = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
      const manifest = JSON.parse(await readFile(join(placeOf(folder), "package.json"), "utf8"))
      const { bugs, homepage, repository } = workspace
      assert.match(repository.url, /^git\+https:\/\/.*\.git$/)
      assert.deepStrictEqual(
        { bugs: manifest.bugs, homepage: manifest.homepage, repository: manifest.repository },
        { bugs, homepage, repository: { ...repository, directory: `packages/${folder}` } }
      )
    })

    it(`given ${folder}, then its range of effect begins at the version that the tests run on, and ends before the next major one`, async () => {
      const { devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
      assert.strictEqual(manifestOf(folder).peerDependencies.effect, `^${devDependencies.effect}`)
    })

    it(`given ${folder}, when it is packed, then every file that its package.json names is there`, () => {
      const targets = Object.values(exports).flatMap((target) =>
        typeof target === "string" ? target : Object.values(target)
      )
      const named = [...targets, ...Object.values(bin ?? {})]
      assert.isAbove(named.length, 2)
      assert.deepStrictEqual(
        named.filter((path) => path.startsWith("./") && !existsSync(join(placeOf(folder), path))),
        []
      )
    })

    it(`given ${folder}, when an editor or a debugger follows its source maps, then they lead to sources`, async () => {
      const maps = (await filesOf(folder)).filter((path) => path.startsWith("dist/") && path.endsWith(".map"))
      assert.isAbove(maps.length, 10)
      for (const map of maps) {
        const { sources } = JSON.parse(await readFile(join(placeOf(folder), map), "utf8"))
        for (const source of sources) assert.isTrue(existsSync(join(placeOf(folder), dirname(map), source)), map)
      }
    })
  }

  it("given http, when it is packed, then it has the reference page as it was written, and Swagger UI with its licences", async () => {
    for (const file of licences) {
      assert.strictEqual(
        await readFile(join(placeOf("http"), "reference-page/vendor", file), "utf8"),
        await readFile(join(root, "node_modules/swagger-ui-dist", file), "utf8")
      )
    }
    for (const [name, source] of Object.entries(texts)) {
      const { default: text } = await import(join(placeOf("http"), `dist/server/routes/reference-page/${name}.js`))
      assert.strictEqual(text, await readFile(join(root, source), "utf8"))
    }
  })

  it("given http, when it is packed, then it has the console, and the licences of what the console contains", async () => {
    const { default: script } = await import(join(placeOf("http"), "dist/server/routes/console/console.js.js"))
    assert.strictEqual(script, await readFile(join(root, "packages/http/console/dist/console.js"), "utf8"))
    const licences = await readFile(join(placeOf("http"), "console/dist/LICENSES.txt"), "utf8")
    const named = [...licences.matchAll(/^(\S+) \d\S* \(MIT\)$/gm)].map(([, name]) => name)
    assert.deepStrictEqual(named, ["@preact/signals", "@preact/signals-core", "preact"])
  })

  it("given http, when it is packed, then the command is there as a bundle only, with the licence of every package in it", async () => {
    const files = await filesOf("http")
    assert.deepStrictEqual(
      files.filter((path) => /^(?:dist|src)\/cli\//.test(path)),
      []
    )
    const licences = await readFile(join(placeOf("http"), "dist/bundle/LICENSES.txt"), "utf8")
    const bundled = new Set<string>()
    for (const path of files.filter((path) => /^dist\/bundle\/.*\.js$/.test(path))) {
      const code = await readFile(join(placeOf("http"), path), "utf8")
      for (const [, name = ""] of code.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm))
        bundled.add(name)
    }
    assert.includeMembers([...bundled], ["effect", "@effect/platform-node", "yaml"])
    for (const name of bundled) {
      const { license, version } = JSON.parse(await readFile(join(root, "node_modules", name, "package.json"), "utf8"))
      assert.include(licences, `${name} ${version} (${license})`)
    }
  })

  it("given a bundler, when it follows the packages, then no module asks where it is but the CLI and one that can do without", async () => {
    const canDoWithout = [
      // It looks for the reader of password files of pg, and leaves them to pg where that is missing.
      "dist/postgres/connection/passwordFile.js"
    ]
    for (const folder of folders) {
      const modules = (await filesOf(folder)).filter((path) => /^dist\/(?!bundle\/).*\.js$/.test(path))
      assert.isAbove(modules.length, 10)
      for (const path of modules) {
        if (canDoWithout.includes(path)) continue
        assert.notInclude(await readFile(join(placeOf(folder), path), "utf8"), "import.meta.url", path)
      }
    }
  })
})
