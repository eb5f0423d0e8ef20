import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { folders } from "../packages/test/support/workspace.ts"
import { root } from "./support/markdownFiles.ts"

const text = readFileSync(join(root, "docs/security.md"), "utf8")

const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

const manifests = folders.map((folder) => JSON.parse(textOf(`packages/${folder}/package.json`)))

/** The rows of its tables, without the headings. */
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| --") && !/, with the test \|$/.test(line))

/** A test that a text names, or a row without one. */
const testOf = (row: string) => {
  const [, title = "", file = ""] = /\[([^\]]+)\]\(([^)]+)\) \|$/.exec(row) ?? []
  return { title, path: join("docs", file) }
}

const isTest = ({ path, title }: { readonly path: string; readonly title: string }): boolean =>
  title !== "" && /(?:test|Cases)\.ts$/.test(path) && existsSync(join(root, path)) && textOf(path).includes(title)

describe("docs/security.md", () => {
  it("has a test that exists for each line", () => {
    assert.isAbove(rows.length, 30)
    assert.deepStrictEqual(
      rows.filter((row) => !isTest(testOf(row))),
      []
    )
  })

  it("given a line without a test, or with one that is gone, then that is found", () => {
    const gone = ["no such", "title"].join(" ")
    for (const end of ["", `[${gone}](security.test.ts)`, "[has a test](none.test.ts)", "[Security](security.md)"]) {
      assert.isFalse(isTest(testOf(`| Somebody cannot | because | ${end} |`)), end)
    }
  })

  it("names every dependency of the packages", () => {
    const [, section = ""] = text.split("## Dependencies and packages")
    for (const { dependencies = {} } of manifests) {
      for (const [name, version] of Object.entries<string>(dependencies)) {
        if (!name.startsWith("@petstore/")) assert.include(section, `\`${name}\``)
        assert.match(version, /^\d+\.\d+\.\d+$/, `${name} is pinned exactly`)
      }
    }
  })

  it("has no script that runs where a package is installed", () => {
    for (const { scripts = {} } of manifests)
      assert.notIncludeMembers(Object.keys(scripts), ["preinstall", "install", "postinstall", "prepare"])
  })

  it("has a bill of materials in the check of the packages", () => {
    const { scripts } = JSON.parse(textOf("package.json"))
    assert.include(scripts["check:packages"], "node scripts/sbom.ts")
    assert.include(textOf(".ci/run"), "npm run check:packages")
  })

  it("releases with provenance, in a job that runs nothing of the repository", () => {
    const { jobs, permissions } = parse(textOf(".github/workflows/release.yml"))
    const { publish, ...others } = jobs
    assert.deepStrictEqual(publish.permissions, { "id-token": "write" })
    for (const job of [{ permissions }, ...Object.values<{ permissions?: object }>(others)])
      assert.notProperty(job.permissions ?? {}, "id-token")
    const steps: ReadonlyArray<{ readonly uses?: string; readonly run?: string; readonly env?: object }> = publish.steps
    assert.isFalse(steps.some(({ uses = "" }) => uses.startsWith("actions/checkout")))
    assert.match(steps.at(-2)?.run ?? "", /sha256sum --check --strict/)
    assert.match(steps.at(-1)?.run ?? "", /npm publish .*--ignore-scripts/)
    assert.propertyVal(steps.at(-1)?.env, "NPM_CONFIG_PROVENANCE", "true")
  })

  it("pins every action and image by digest", () => {
    const used = ["ci", "release"].flatMap((name) =>
      [...textOf(`.github/workflows/${name}.yml`).matchAll(/uses: (.*)/g)].map(([, action = ""]) => action)
    )
    const images = [...textOf("examples/deployment/Dockerfile").matchAll(/^FROM (\S+)/gm)].map(
      ([, image = ""]) => image
    )
    assert.isAbove(used.length, 5)
    for (const action of used) assert.match(action, /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    assert.lengthOf(images, 2)
    for (const image of images) assert.match(image, /@sha256:[0-9a-f]{64}$/)
  })
})
