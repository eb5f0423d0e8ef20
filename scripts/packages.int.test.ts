import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../", import.meta.url))

const names = ["core", "adapters", "http"]

const read = (...path: ReadonlyArray<string>): Promise<string> => readFile(join(root, ...path), "utf8")

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** The paths in the tarball of a package. */
const packedFiles = async (name: string): Promise<ReadonlyArray<string>> => {
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts"]
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: join(root, "packages", name) })
  const [packed] = Object.values<Packed>(JSON.parse(stdout))
  return packed?.files.map(({ path }) => path) ?? []
}

interface Locked {
  readonly link?: boolean
  readonly dev?: boolean
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The names of all that comes with a package: its dependencies and theirs, without its peers. */
const broughtBy = (locked: Readonly<Record<string, Locked>>, start: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const follow = (path: string): void => {
    for (const name of Object.keys(locked[path]?.dependencies ?? {})) {
      if (found.has(name)) continue
      found.add(name)
      const entry = locked[`node_modules/${name}`]
      follow(entry?.link === true ? (entry.resolved ?? "") : `node_modules/${name}`)
    }
  }
  follow(start)
  return found
}

const swaggerUi = ["LICENSE", "NOTICE", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"]

describe("the packages", () => {
  for (const name of names) {
    it(`given ${name}, when it is packed, then it has a README and the licence, and no test`, async () => {
      const files = await packedFiles(name)
      assert.includeMembers([...files], ["README.md", "LICENSE"])
      assert.deepStrictEqual(
        files.filter((path) => /\.test\.|^test\/|tsbuildinfo/.test(path)),
        []
      )
      assert.strictEqual(await read("packages", name, "LICENSE"), await read("LICENSE"))
    })

    it(`given ${name}, when it is installed, then nothing that comes with it runs a script`, async () => {
      const locked: Readonly<Record<string, Locked>> = JSON.parse(await read("package-lock.json")).packages
      const brought = broughtBy(locked, `packages/${name}`)
      assert.isAbove(brought.size, 0)
      assert.deepStrictEqual(
        [...brought].filter((other) => locked[`node_modules/${other}`]?.hasInstallScript === true),
        []
      )
    })
  }

  it("given http, when it is packed, then it has Swagger UI as its publishers made it, with its licences", async () => {
    assert.includeMembers(
      [...(await packedFiles("http"))],
      swaggerUi.map((file) => `docs-page/vendor/${file}`)
    )
    for (const file of swaggerUi) {
      assert.strictEqual(
        await read("packages", "http", "docs-page", "vendor", file),
        await read("node_modules", "swagger-ui-dist", file)
      )
    }
  })
})
