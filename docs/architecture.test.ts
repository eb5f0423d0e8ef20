import { readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { parseSync, Visitor } from "vite"
import { assert, describe, it } from "vitest"
import { floors } from "../packages/core/test/support/floors.ts"
import { blocksOf, root } from "./support/markdownFiles.ts"

const text = readFileSync(join(root, "docs/architecture.md"), "utf8")

/** The text under each heading. */
const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0] ?? "", section] as const)
)

/** The arrows of a drawing, as pairs of the ids of their nodes. */
const arrowsIn = (drawing: string): ReadonlyArray<readonly [string, string]> =>
  drawing.split("\n").flatMap((line) => {
    const nodes = line
      .replace(/\["[^"]*"\]/g, "")
      .split(/<?-+>(?:\|[^|]*\|)?/)
      .map((node) => node.trim())
    return nodes.slice(1).map((node, index) => [nodes[index] ?? "", node] as const)
  })

const drawingOf = (title: string): string => {
  const [drawing] = blocksOf(sections.get(title) ?? "", "mermaid")
  return drawing ?? assert.fail(`There is no drawing under "${title}"`)
}

/** Each node with all that arrows lead to from it. */
const reachable = (arrows: ReadonlyArray<readonly [string, string]>): ReadonlyMap<string, ReadonlySet<string>> => {
  const follow = (from: string): ReadonlyArray<string> =>
    arrows.flatMap(([start, end]) => (start === from ? [end, ...follow(end)] : []))
  return new Map(arrows.flat().map((node) => [node, new Set(follow(node))]))
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly "@petstore/source": string } | string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const manifests = ["packages/core", "packages/core/testing", "packages/adapters", "packages/http"].map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest
}))

/** The source file of each entry point, by its name in imports. */
const entryPoints = new Map(
  manifests.flatMap(({ folder, manifest: { exports, name } }) =>
    Object.entries(exports).flatMap(([path, conditions]) =>
      typeof conditions === "string" ? [] : [[name + path.slice(1), join(folder, conditions["@petstore/source"])]]
    )
  )
)

const parsed = new Map<string, ReturnType<typeof parseSync>["module"]>()

/** The imports and exports of a file. */
const moduleOf = (file: string) => {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const { module } = parseSync(file, readFileSync(join(root, file), "utf8"))
  parsed.set(file, module)
  return module
}

/** The file that an import leads to; undefined if it is not of this repository. */
const target = (file: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? relative(root, resolve(root, dirname(file), specifier)) : entryPoints.get(specifier)

/** The file that defines what a file exports by this name, which may be a file that it re-exports. */
const definition = (file: string, name: string): string | undefined => {
  for (const { entries } of moduleOf(file).staticExports) {
    for (const { exportName, importName, moduleRequest } of entries) {
      const from = moduleRequest === null ? undefined : target(file, moduleRequest.value)
      if (exportName.name === name) return from === undefined ? file : definition(from, importName.name ?? name)
      const all = importName.kind === "AllButDefault" && from !== undefined ? definition(from, name) : undefined
      if (all !== undefined) return all
    }
  }
}

/** The names of the functions, methods and tables of a file. */
const functionsOf = (file: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const keep = (name: object | null): void => {
    if (name !== null && "name" in name && typeof name.name === "string") found.add(name.name)
  }
  new Visitor({
    FunctionDeclaration: ({ id }) => keep(id),
    VariableDeclarator: ({ id }) => keep(id),
    MethodDefinition: ({ key }) => keep(key),
    PropertyDefinition: ({ key }) => keep(key),
    Property: ({ key }) => keep(key)
  }).visit(parseSync(file, readFileSync(join(root, file), "utf8")).program)
  return found
}

/** The files that a file imports something of, directly or through an entry point. */
const importedBy = (file: string): ReadonlySet<string> =>
  new Set(
    moduleOf(file).staticImports.flatMap(({ entries, moduleRequest }) => {
      const from = target(file, moduleRequest.value)
      if (from === undefined) return []
      return [from, ...entries.flatMap(({ importName }) => definition(from, importName.name ?? "") ?? [])]
    })
  )

describe("docs/architecture.md", () => {
  it("draws the floors of the core with what each may import", () => {
    const sorted = (places: ReadonlyArray<string>) => [...places].sort()
    const drawn = [...reachable(arrowsIn(drawingOf("Floors")))].map(([floor, ends]) => [floor, sorted([...ends])])
    const allowed = Object.entries(floors).map(([floor, places]) => [
      floor,
      sorted(places.filter((place) => place !== floor))
    ])
    assert.deepStrictEqual(Object.fromEntries(drawn), Object.fromEntries(allowed))
  })

  it("draws each package with the packages that it needs", () => {
    const shortName = (name: string): string => name.replace("@petstore/", "")
    const needed = manifests.flatMap(({ manifest: { dependencies, name, peerDependencies } }) =>
      Object.keys({ ...dependencies, ...peerDependencies })
        .filter((other) => other.startsWith("@petstore/"))
        .map((other) => [shortName(name), shortName(other)] as const)
    )
    assert.sameDeepMembers([...arrowsIn(drawingOf("Packages"))], needed)
  })

  describe("the way of an order", () => {
    const section = sections.get("The way of an order") ?? assert.fail("There is no way of an order")
    const steps = [...section.matchAll(/^(\d+)\. `(\w+)` of \[([^\]]+)\]\(\.\.\/([^)]+)\)/gm)].map(
      ([, number = "", called = "", name = "", file = ""]) => ({ number: Number(number), called, name, file })
    )
    const fileOf = new Map(
      [...section.matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g)].map(([, name = "", file = ""]) => [name, file])
    )

    it("numbers its steps from 1, and draws the files of all of them", () => {
      assert.deepStrictEqual(
        steps.map(({ number }) => number),
        section.match(/^\d+(?=\. )/gm)?.map((_, index) => index + 1)
      )
      const drawn = new Set(arrowsIn(drawingOf("The way of an order")).flat())
      for (const { name } of steps) assert.isTrue(drawn.has(name), name)
      for (const name of drawn) assert.isTrue(fileOf.get(name)?.endsWith(`/${name}.ts`), name)
    })

    for (const [index, { called, file, name, number }] of steps.entries()) {
      it(`step ${number}: ${called} of ${name} exists, and a file of a step above uses it`, () => {
        assert.isTrue(functionsOf(file).has(called))
        const above = new Set(steps.slice(0, index).map((step) => step.file))
        const usesIn = (path: string): number => {
          const mentions =
            readFileSync(join(root, path), "utf8").split(new RegExp(`(?<!\\w)${called}(?!\\w)`)).length - 1
          return path === file ? mentions - 1 : mentions
        }
        assert.isTrue(index === 0 || [...above].some((path) => usesIn(path) > 0))
      })
    }

    for (const [from, to] of arrowsIn(drawingOf("The way of an order"))) {
      const [start = "", end = ""] = [fileOf.get(from), fileOf.get(to)]
      it(`draws an arrow from ${start} to ${end}, one of which imports the other`, () => {
        assert.isTrue(importedBy(start).has(end) || importedBy(end).has(start))
      })
    }
  })

  for (const [title, section] of sections) {
    const steps = [...section.matchAll(/^(\d+)\. \[([^\]]+)\]\(\.\.\/([^)]+)\)/gm)].map(
      ([, number = "", name = "", file = ""]) => ({ number, name, file })
    )
    if (steps.length === 0) continue

    describe(title, () => {
      const drawing = drawingOf(title)
      const fileOf = new Map(steps.map(({ file, name }) => [name, file]))

      it("has the same steps in the drawing and in the list, numbered from 1, each with an arrow", () => {
        assert.deepStrictEqual(
          steps.map(({ number }) => Number(number)),
          steps.map((_, index) => index + 1)
        )
        assert.deepStrictEqual(new Set(arrowsIn(drawing).flat()), new Set(fileOf.keys()))
      })

      it("names each step after its file", () => {
        for (const { file, name } of steps) assert.isTrue(file.endsWith(`/${name}.ts`), `${name}: ${file}`)
      })

      for (const [from, to] of arrowsIn(drawing)) {
        const [start = "", end = ""] = [fileOf.get(from), fileOf.get(to)]
        it(`draws an arrow from ${start} to ${end}, one of which imports the other`, () => {
          assert.isTrue(importedBy(start).has(end) || importedBy(end).has(start))
        })
      }
    })
  }
})
