import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ESTree, parseSync, Visitor } from "vite"
import { assert, describe, it } from "vitest"
import { root } from "./support/markdownFiles.ts"

/** The sources of the packages, without tests. */
const files = ["packages/core/src", "packages/core/testing/src", "packages/adapters/src", "packages/http/src"].flatMap(
  (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => join(folder, name))
)

const sourceOf = (text: string) => {
  const { comments, program } = parseSync("source.ts", text)
  return { comments, program, text }
}

type Source = ReturnType<typeof sourceOf>

/** The names that a pattern declares. */
const namesIn = (pattern: ESTree.Node | null): ReadonlyArray<string> => {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name]
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "Property" ? property.value : property.argument)
      )
    case "ArrayPattern":
      return pattern.elements.flatMap(namesIn)
    case "AssignmentPattern":
      return namesIn(pattern.left)
    case "RestElement":
      return namesIn(pattern.argument)
    case "TSParameterProperty":
      return namesIn(pattern.parameter)
    default:
      return []
  }
}

const nameOf = (key: ESTree.Node): ReadonlyArray<string> =>
  key.type === "Identifier" || key.type === "PrivateIdentifier" ? [key.name] : []

/** The names of variables, parameters, functions, classes, types and their properties that a text declares. */
const declaredIn = ({ program }: Source): ReadonlyArray<string> => {
  const names: Array<string> = []
  const keep = (some: ReadonlyArray<string>): void => void names.push(...some)
  const keepParameters = ({ params }: { readonly params: ReadonlyArray<ESTree.Node> }): void =>
    keep(params.flatMap(namesIn))
  new Visitor({
    VariableDeclarator: ({ id }) => keep(namesIn(id)),
    FunctionDeclaration: (node) => {
      keep(namesIn(node.id))
      keepParameters(node)
    },
    FunctionExpression: keepParameters,
    ArrowFunctionExpression: keepParameters,
    CatchClause: ({ param }) => keep(namesIn(param)),
    ClassDeclaration: ({ id }) => keep(namesIn(id)),
    MethodDefinition: ({ key }) => keep(nameOf(key)),
    PropertyDefinition: ({ key }) => keep(nameOf(key)),
    Property: ({ key }) => keep(nameOf(key)),
    TSInterfaceDeclaration: ({ id }) => keep(namesIn(id)),
    TSTypeAliasDeclaration: ({ id }) => keep(namesIn(id)),
    TSPropertySignature: ({ key }) => keep(nameOf(key)),
    TSMethodSignature: ({ key }) => keep(nameOf(key))
  }).visit(program)
  return names
}

const isNumeric = (node: ESTree.Node | null): boolean =>
  node?.type === "Literal"
    ? typeof node.value === "number"
    : node?.type === "BinaryExpression"
      ? isNumeric(node.left) || isNumeric(node.right)
      : node?.type === "UnaryExpression" && isNumeric(node.argument)

/** What the comment of a constant says of its unit, and the name must say. */
const units = [
  { said: /\bmilliseconds\b/i, named: /millis|minute|hour|day/i },
  { said: /\b(?<!milli)seconds\b/i, named: /seconds|millis|minute/i },
  { said: /\bbytes\b/i, named: /bytes/i },
  { said: /\bcharacters\b/i, named: /characters|length/i }
]

/** The numeric constants of a file whose comments have a unit that their names lack. */
const unnamedUnitsIn = ({ comments, program, text }: Source): ReadonlyArray<string> =>
  program.body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (node?.type !== "VariableDeclaration") return []
    const comment = comments.findLast(({ end }) => end <= statement.start)
    if (comment === undefined || text.slice(comment.end, statement.start).trim() !== "") return []
    const unit = units.find(({ said }) => said.test(comment.value))
    return node.declarations.flatMap(({ id, init }) =>
      unit !== undefined && isNumeric(init) ? namesIn(id).filter((name) => !unit.named.test(name)) : []
    )
  })

/** The lines of each function without blank lines and comments. The linter counts fewer: not those that only close something. */
const lengthsIn = ({ comments, program, text }: Source): ReadonlyArray<number> => {
  const code = comments.reduceRight(
    (rest, { end, start }) => rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, " ") + rest.slice(end),
    text
  )
  const lengths: Array<number> = []
  const measure = ({ end, start }: ESTree.Node): void =>
    void lengths.push(
      code
        .slice(start, end)
        .split("\n")
        .filter((line) => line.trim() !== "").length
    )
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure
  }).visit(program)
  return lengths
}

/** Files with a function that is a table. */
const tables = /\/(?:api\/(?:Server|Webhooks|eventDocs)|storage\/randomRecords)\.ts$/

const sources = files.map((file) => ({ file, source: sourceOf(readFileSync(join(root, file), "utf8")) }))
const declarations = sources.map(({ file, source }) => ({ file, names: declaredIn(source) }))

const filesWith = (pattern: RegExp): ReadonlyArray<string> =>
  declarations.filter(({ names }) => names.some((name) => pattern.test(name))).map(({ file }) => file)

/** Where something is attempted in the sense of the API: an event is handled, a message or webhook is sent. */
const attempts =
  /\/(?:petstore\/\w*Consumers|petstore\/ConsumerMethods|domain\/webhooks\/\w+|programs\/webhooks\/\w+|runtime\/(?:consumers|messages|webhooks)\/\w+|webhooks\/\w+|petstore\/consumerCases)\.ts$/

describe("the names and functions of the sources", () => {
  it("given what a lookup returns, then it is named after what it is, not after having been found", () => {
    assert.isAbove(declarations.flatMap(({ names }) => names).length, 20_000)
    // What a finding of `verify` shows beside what was expected.
    assert.deepStrictEqual(filesWith(/^found$/), ["packages/core/src/runtime/verification/Finding.ts"])
  })

  it("given an attempt, then it is one to handle an event or to send a message or webhook", () => {
    assert.deepStrictEqual(
      filesWith(/^attempt$/).filter((file) => !attempts.test(file)),
      []
    )
  })

  it("given the product, a petstore or what runs use cases, then none is called an engine", () => {
    assert.deepStrictEqual(
      [...filesWith(/engine/i), ...files.filter((file) => /engine|\bservices\b/i.test(file.slice("packages/".length)))],
      []
    )
  })

  it("given a number with a unit, then the name of the constant has it", () => {
    const unnamed = sources.flatMap(({ file, source }) => unnamedUnitsIn(source).map((name) => `${file}: ${name}`))
    assert.deepStrictEqual(unnamed, [])
  })

  it("given a function, then it has 70 lines at most, unless it is a table", () => {
    const long = sources.filter(({ file, source }) => !tables.test(file) && Math.max(...lengthsIn(source)) > 70)
    assert.deepStrictEqual(
      long.map(({ file }) => file),
      []
    )
    const source = "const one = () => {\n\n  // Why.\n  return (\n    1 /* two */\n  )\n}\nfunction two() {}"
    assert.deepStrictEqual(lengthsIn(sourceOf(source)), [5, 1])
  })

  it("given names in all kinds of declarations, then each is seen, and a constant whose unit only its comment has", () => {
    const source = `
      const { a, b: [c, ...d] } = { e: 1 }
      function f(g: number, { h = 1 }: I) { return (j) => j }
      class K { #l = 1; m(n) {} }
      interface O { readonly p: number; q(): void }
      type R = { s: string }
      export { a as t }`
    assert.sameMembers([...new Set(declaredIn(sourceOf(source)))], [..."abcdefghjKlmnOpqRs"])
    const constants = `
      /** Milliseconds to wait. */
      const wait = 60 * 1_000
      /** Milliseconds to wait. */
      export const pauseMillis = -1
      const other = 5
      /** How many. */
      const rows = 5`
    assert.deepStrictEqual(unnamedUnitsIn(sourceOf(constants)), ["wait"])
  })
})
