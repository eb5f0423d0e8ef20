// Writes the API reference, docs/api, from the docstrings of the public exports, and their signatures to docs/signatures.txt; or both to
// another folder. Fails if an export has no docstring.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { Describer, docOfFile, isType } from "./describe.ts"
import { byHome, type Entry, entries, root } from "./entries.ts"
import { type Content, indexPage, page } from "./page.ts"
import { signatures } from "./signatures.ts"

const target = process.argv[2] ?? join(root, "docs")
const folder = join(target, "api")
const signaturesFile = join(target, "signatures.txt")

const readProgram = (): ts.Program => {
  const config = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, files: [] }, ts.sys, root)
  return ts.createProgram(
    entries.map(({ source }) => source),
    { ...options, noEmit: true, types: ["node"], typeRoots: [join(root, "node_modules", "@types")] }
  )
}

/** What a module exports at run time: the compiler also lists the values of `export type *`, which are not there. */
const valuesOf = async ({ source }: Entry): Promise<ReadonlySet<string>> => new Set(Object.keys(await import(source)))

const read = async (): Promise<ReadonlyArray<Content>> => {
  const program = readProgram()
  const values = new Map(await Promise.all(entries.map(async (entry) => [entry, await valuesOf(entry)] as const)))
  const describer = new Describer(program)
  const homes = new Map<ts.Symbol, string>()
  const contents = byHome.map((entry): Content => {
    const file = program.getSourceFile(entry.source)
    const module = file && program.getTypeChecker().getSymbolAtLocation(file)
    if (file === undefined || module === undefined) throw new Error(`${entry.source} is not a module`)
    const isValue = (name: string): boolean => values.get(entry)?.has(name) ?? false
    const exported = [...describer.exportsOf(module)].filter(([name, symbol]) => isValue(name) || isType(symbol))
    const isHere = ([, symbol]: readonly [string, ts.Symbol]) => !homes.has(symbol)
    const here = exported.filter(isHere)
    const elsewhere = exported.flatMap(([name, symbol]) => {
      const home = homes.get(symbol)
      return home === undefined ? [] : [{ name, page: home, isValue: isValue(name) }]
    })
    for (const [, symbol] of here) homes.set(symbol, entry.page)
    const own = here.map(([name, symbol]) => describer.describe(name, symbol, isValue(name), (one) => homes.has(one)))
    return { entry, doc: docOfFile(file.text), own, elsewhere }
  })
  return entries.flatMap((entry) => contents.filter((content) => content.entry === entry))
}

const contents = await read()
const pages = new Map([
  ["README.md", indexPage(contents)],
  ...contents.map((content) => [content.entry.page, page(content)] as const)
])

const problems = contents.flatMap(({ doc, entry, own }) => [
  ...(doc === "" ? [`${entry.name}: its first file does not begin with a docstring`] : []),
  ...own.filter((one) => one.doc === "").map(({ name }) => `${entry.name}: ${name} has no docstring`)
])

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, content] of pages) writeFileSync(join(folder, name), content)
writeFileSync(signaturesFile, signatures(contents))

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
