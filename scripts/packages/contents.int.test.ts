import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { assert, describe, inject, it } from "vitest"
import { folders, manifestOf, root } from "./support/workspace.ts"

const project = inject("project")

const placeOf = (folder: string): string => join(project, "node_modules", manifestOf(folder).name)

/** The paths of all files of a package as it is installed. */
const filesOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(placeOf(folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(placeOf(folder), join(entry.parentPath, entry.name)))
}

const swaggerUi = ["LICENSE", "NOTICE", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"]

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

    it(`given ${folder}, when an editor or a debugger follows its maps, then the sources are there`, async () => {
      const maps = (await filesOf(folder)).filter((path) => path.startsWith("dist/") && path.endsWith(".map"))
      assert.isAbove(maps.length, 10)
      for (const map of maps) {
        const { sources } = JSON.parse(await readFile(join(placeOf(folder), map), "utf8"))
        for (const source of sources) assert.isTrue(existsSync(join(placeOf(folder), dirname(map), source)), map)
      }
    })
  }

  it("given http, when it is packed, then it has Swagger UI as its publishers made it, with its licences", async () => {
    for (const file of swaggerUi) {
      assert.strictEqual(
        await readFile(join(placeOf("http"), "docs-page/vendor", file), "utf8"),
        await readFile(join(root, "node_modules/swagger-ui-dist", file), "utf8")
      )
    }
  })
})
