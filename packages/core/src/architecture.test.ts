import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseSync } from "vite"
import { assert, describe, it } from "vitest"
import { floors } from "../test/support/floors.ts"

const repository = fileURLToPath(new URL("../../..", import.meta.url))
const core = join(repository, "packages/core/src")

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> & { readonly type: string } =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const literal = (node: unknown): string | undefined =>
  isNode(node) && typeof node.value === "string" ? node.value : undefined

/** The specifier of every import in a source text, whatever its kind; "computed" for one that is not a literal. */
const importsOf = (name: string, text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one)
    } else if (isNode(value)) {
      const place = value.type === "TSExternalModuleReference" ? value.expression : value.source
      if (isNode(place)) found.push(literal(place) ?? "computed")
      for (const part of Object.values(value)) visit(part)
    }
  }
  const { errors, program } = parseSync(name, text)
  assert.deepStrictEqual(errors, [], `the errors in ${name}`)
  visit(program)
  return found
}

const sourcesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))

interface Import {
  readonly file: string
  readonly from: string
}

/** By file: several rules read the same files. */
const known = new Map<string, ReadonlyArray<Import>>()

const importsOfFile = (file: string): ReadonlyArray<Import> => {
  const imports =
    known.get(file) ??
    importsOf(file, readFileSync(file, "utf8")).map((from) => ({
      file: relative(repository, file),
      from: from.startsWith(".") ? relative(repository, resolve(dirname(file), from)) : from
    }))
  known.set(file, imports)
  return imports
}

/** The imports of each source file in a directory; those of files of the repository as paths in it. */
const importsIn = (directory: string): ReadonlyArray<Import> => sourcesIn(directory).flatMap(importsOfFile)

/** A stable module of Effect; the folders of unstable ones are in lower case, and `Arbitrary` is for tests. */
const stableEffect = /^effect\/(?!Arbitrary$)[A-Z]\w*$/

/** The imports in a directory from none of these places: a module by its name, a folder by its path. */
const strays = (directory: string, allowed: ReadonlyArray<string>) =>
  importsIn(join(repository, directory)).filter(
    ({ from }) =>
      !stableEffect.test(from) &&
      !allowed.some((place) => (place.endsWith("/") ? from.startsWith(place) : from === place))
  )

describe("given the reader of imports", () => {
  const text = `
    // import "./comment.ts"
    /** import { a } from "./documentation.ts" */
    import "./effects.ts"
    import fallback, { b as c, type D } from "./values.ts"
    import type { E } from "./types.ts"
    import * as all from "./namespace.ts"
    import legacy = require("legacy")
    export * from "./everything.ts"
    export { f as g, type H } from "./some.ts"
    export const text = 'import "./text.ts"' + /import ".\\/pattern.ts"/.source
    const later = () => import("./dynamic.ts")
    const computed = (name: string) => import(name)
    type I = import("./inline.ts").I
    type J = typeof import("./whole.ts")`

  it("then it finds imports of every kind, and nothing in comments, text and patterns", () => {
    assert.sameMembers(
      [...importsOf("example.ts", text)],
      [
        ...["./effects.ts", "./values.ts", "./types.ts", "./namespace.ts", "legacy", "./everything.ts"],
        ...["./some.ts", "./dynamic.ts", "computed", "./inline.ts", "./whole.ts"]
      ]
    )
  })
})

/** SHA-256 of the runtime or of `@noble/hashes`: the portable hasher digests synchronously, which Web Crypto cannot. */
const digest = "#sha256"

/** Loaded for petstores with a key. Neither Web Crypto nor every runtime has an authenticated cipher that is synchronous. */
const cipher = "@noble/ciphers/chacha.js"

/** The modules of Effect that are data and pure functions. */
const pure = [
  "Data",
  "Duration",
  "Option",
  "Predicate",
  "Result",
  "Schema",
  "SchemaAST",
  "SchemaIssue",
  "SchemaParser",
  "SchemaTransformation",
  "Struct",
  "Types"
]

/** The modules of other packages that the files of a floor may import. */
const isAllowed = (floor: string, module: string): boolean =>
  stableEffect.test(module) || (floor === "runtime" && module === digest) || (floor === "programs" && module === cipher)

const source = "packages/core/src/"
const isOfCore = (path: string): boolean => path.startsWith(source)
const imported = (file: string) => importsOfFile(join(repository, file)).map(({ from }) => from)

/** The floor of a file of the core. */
const floorOf = (file: string): string => file.slice(source.length).split("/")[0] ?? ""

/** What a file imports that files of this floor may not. */
const straysOf = (file: string, floor: string): ReadonlyArray<string> =>
  imported(file).filter((from) => !(isOfCore(from) ? floors[floor]?.includes(floorOf(from)) : isAllowed(floor, from)))

/** A file with all that it imports, directly and through others. */
const reachedFrom = (file: string, reached = new Set<string>()): ReadonlySet<string> => {
  if (!reached.has(file)) {
    reached.add(file)
    for (const from of imported(file)) if (isOfCore(from)) reachedFrom(from, reached)
  }
  return reached
}

describe("given the floors of core", () => {
  const folders = readdirSync(core, { withFileTypes: true })

  it("then each folder is one of them", () => {
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    assert.sameMembers(names, Object.keys(floors))
  })

  for (const [floor, inner] of Object.entries(floors)) {
    it(`then ${floor} imports ${inner.join(", ")} alone`, () => {
      const own = sourcesIn(join(core, floor)).map((file) => relative(repository, file))
      assert.isNotEmpty(own)
      assert.deepStrictEqual(
        own.flatMap((file) => straysOf(file, floor).map((from) => ({ file, from }))),
        []
      )
    })
  }

  it("then the files beside the folders only join them together", () => {
    for (const { name } of folders.filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))) {
      const { program } = parseSync(name, readFileSync(join(core, name), "utf8"))
      const kinds = program.body.map(({ type }) => type)
      assert.isTrue(
        kinds.every((kind) => kind === "ExportNamedDeclaration" || kind === "ExportAllDeclaration"),
        `${name} re-exports and does nothing else`
      )
    }
  })

  it("then domain, with all that it joins, takes from Effect what is pure: data, results and schemas", () => {
    const reached = [...reachedFrom(`${source}domain/index.ts`)]
    const taken = reached.flatMap(imported).filter((from) => from.startsWith("effect"))
    assert.include(reached, `${source}domain/orders/Order.ts`)
    assert.isNotEmpty(taken)
    assert.deepStrictEqual(
      taken.filter((from) => !pure.includes(from.slice("effect/".length))),
      []
    )
  })
})

/** What a transaction does at once. Whatever else it has is a read, of which `yield*` is the row. */
const writes = ["add", "append", "purge", "remove", "save", "trim"]

/** What ends a command by an error, if it is not forgotten. */
const endings = new Set(["fail", "orFail"])

/** The expressions whose value a statement drops. */
const droppedBy = (node: unknown): ReadonlyArray<unknown> => {
  if (!isNode(node)) return []
  const { alternate, argument, consequent, expression, expressions, right, type } = node
  if (type === "LogicalExpression") return droppedBy(right)
  if (type === "ConditionalExpression") return [consequent, alternate].flatMap(droppedBy)
  if (type === "SequenceExpression" && Array.isArray(expressions)) return expressions.flatMap(droppedBy)
  if (type === "UnaryExpression") return droppedBy(argument)
  if (type === "ChainExpression" || type === "ParenthesizedExpression") return droppedBy(expression)
  return [node]
}

const isEnding = ({ callee, type }: Readonly<Record<string, unknown>>): boolean =>
  type === "CallExpression" && isNode(callee) && endings.has(String(callee.name))

/** Calls of these commands, reads and endings, whose result nothing takes: they do nothing. */
const forgottenIn = (name: string, text: string, commands: ReadonlySet<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const isCommand = (call: unknown): boolean => {
    if (!isNode(call) || call.type !== "CallExpression" || !isNode(call.callee)) return false
    const { arguments: given, callee } = call
    if (callee.type === "Identifier")
      return commands.has(String(callee.name)) && Array.isArray(given) && given.length > 0
    if (callee.type !== "MemberExpression" || !isNode(callee.object) || !isNode(callee.property)) return false
    const { object, property } = callee
    const owner = object.type === "MemberExpression" && isNode(object.property) ? object.property : object
    return owner.name === "tx" && !writes.includes(String(property.name))
  }
  const visit = (value: unknown, isInCommand = false): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, isInCommand)
    } else if (isNode(value)) {
      const { expression, type } = value
      if (type === "ExpressionStatement") {
        for (const call of droppedBy(expression)) {
          if (isNode(call) && (isCommand(call) || (isInCommand && isEnding(call))))
            found.push(text.slice(Number(call.start), Number(call.end)))
        }
      }
      const isIn = type.includes("Function") ? value.generator === true : isInCommand
      for (const part of Object.values(value)) visit(part, isIn)
    }
  }
  visit(parseSync(name, text).program)
  return found
}

const commandNames = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*(?:export )?function\* (\w+)/gm)].flatMap(([, name = ""]) => name)

describe("given the commands of the petstore", () => {
  it("then a call without yield* is found, and no other", () => {
    const text = `
      export function* cancel(call) {
        yield* call.tx.lock(orders, 1)
        call.tx.lock(orders, 1)
        tx.find(orders, 1)
        change(call)
        yield* change(call)
        call.tx.save(orders, row)
        settle(call)
        if (isOpen) tx.lockAll(orders, [2])
        isOpen && tx.findAll(orders, [2])
        isOpen ? change(call, 1) : (settle(call), void change(call, 2))
        orFail(checkVersion(row))
        fail(new Gone())
        yield* isOpen ? change(call) : orFail(checkVersion(row))
        return change(call)
      }`
    assert.deepStrictEqual(commandNames(text), ["cancel"])
    const forgotten = [
      ...["call.tx.lock(orders, 1)", "tx.find(orders, 1)", "change(call)", "tx.lockAll(orders, [2])"],
      ...[
        "tx.findAll(orders, [2])",
        "change(call, 1)",
        "change(call, 2)",
        "orFail(checkVersion(row))",
        "fail(new Gone())"
      ]
    ]
    assert.deepStrictEqual(forgottenIn("example.ts", text, new Set(["change"])), forgotten)
  })

  it("then none of them calls another one, or reads a row, without yield*", () => {
    const sources = [core, join(repository, "packages/http/src")].flatMap(sourcesIn)
    const files = sources.map((file) => ({ file, text: readFileSync(file, "utf8") }))
    const commands = new Set(files.flatMap(({ text }) => commandNames(text)))
    assert.include([...commands], "place")
    assert.deepStrictEqual(
      files.flatMap(({ file, text }) => forgottenIn(file, text, commands)),
      []
    )
  })
})

/** Files that import each other in a circle, or an empty list. */
const circleIn = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const visit = (file: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const imported of imports.get(file) ?? []) {
      const circle = visit(imported, [...path, file])
      if (circle.length > 0) return circle
    }
    done.add(file)
    return []
  }
  for (const file of imports.keys()) {
    const circle = visit(file, [])
    if (circle.length > 0) return circle
  }
  return []
}

describe("given the sources of the packages", () => {
  it("then a circle of imports is found with all of its files", () => {
    const imports = { a: ["b", "c"], b: [], c: ["d"], d: ["b", "e"], e: ["c"] }
    assert.deepStrictEqual(circleIn(new Map(Object.entries(imports))), ["c", "d", "e", "c"])
    assert.deepStrictEqual(circleIn(new Map(Object.entries({ ...imports, e: [] }))), [])
  })

  it("then no files import each other in a circle, types included", () => {
    const folders = ["core/src", "core/testing/src", "adapters/src", "http/src"]
    const imports = folders.flatMap((folder) => importsIn(join(repository, "packages", folder)))
    const byFile = new Map<string, Array<string>>()
    for (const { file, from } of imports) byFile.set(file, [...(byFile.get(file) ?? []), from])
    assert.isAbove(byFile.size, 300)
    assert.deepStrictEqual(circleIn(byFile), [])
  })
})

describe("given the package for tests", () => {
  it("then it imports what the packages export, and beside the stable modules of Effect its test clock and generator", () => {
    const testing = "packages/core/testing/src"
    assert.isNotEmpty(importsIn(join(repository, testing)))
    const entries = ["", "/adapter-toolkit", "/domain", "/effect", "/kernel", "/ports", "/runtime", "/tables"].map(
      (path) => `@petstore/core${path}`
    )
    const allowed = [`${testing}/`, ...entries, "effect/Arbitrary", "effect/testing/TestClock"]
    assert.deepStrictEqual(strays(testing, allowed), [])
  })
})

describe("given the contract of the REST API", () => {
  it("then it imports no server, command, use case or storage, so that a client can be bundled without them", () => {
    assert.isNotEmpty(importsIn(join(repository, "packages/http/src/api")))
    const allowed = ["packages/http/src/api/", "@petstore/core/domain"]
    assert.deepStrictEqual(strays("packages/http/src/api", allowed), [])
  })
})
