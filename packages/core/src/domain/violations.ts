import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { closest } from "./closest.ts"
import type { Violation } from "./errors/PetstoreError.ts"
import { limits } from "./limits.ts"
import { hasNoFields, shown } from "./shown.ts"

const alternatives = (nouns: ReadonlyArray<string>): string =>
  nouns.length < 2 ? nouns.join("") : `${nouns.slice(0, -1).join(", ")} or ${nouns.at(-1)}`

/** What a schema accepts, in words. */
export const noun = (ast: SchemaAST.AST): string => {
  const expected = ast.annotations?.expected
  if (typeof expected === "string") return expected
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return typeof ast.literal === "string" ? JSON.stringify(ast.literal) : String(ast.literal)
    case "Arrays":
      return "an array"
    case "Objects":
      return "an object"
    case "Union":
      return alternatives(ast.types.map(noun))
    default:
      return "a valid value"
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** One step of a JSON pointer (RFC 6901); cut short if a client sends a very long name. */
const step = (key: unknown): string => {
  const name = String(key)
  const shown = name.length > limits.shownKey ? `${name.slice(0, limits.shownKey)}…` : name
  return `/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`
}

/** The options of some methods, and those that nearly all have, which are taken for fields of their input. */
const ofSome: ReadonlyArray<string> = ["idempotencyKey", "ifVersion", "reserveFor"]
const ofAll: ReadonlyArray<string> = ["signal", "transaction"]

/** As many known names as are easy to read in one message. */
const shownNames = 20

/** What is wrong with a name, such as the one of a field, that is none of the known ones. */
export const unknownName = (kind: "field" | "parameter", name: string, known: ReadonlyArray<string>): string => {
  const meant = closest(name, known)
  if (meant !== undefined) return `Unknown ${kind}; did you mean ${meant}?`
  if (ofSome.includes(name) || ofAll.includes(name))
    return `Unknown ${kind}: methods that take ${name} have it as an option, in their last argument`
  const more = known.length > shownNames ? ", ..." : ""
  return known.length === 0
    ? `Unknown ${kind}; there are none here`
    : `Unknown ${kind}; the known ones are ${known.slice(0, shownNames).join(", ")}${more}`
}

/** The same violation of an input of a method with these options of its own, if one of the options is among the fields of the input. */
export const ofMethod =
  (method: string, own: ReadonlyArray<string>) =>
  (violation: Violation): Violation => {
    const { message, path } = violation
    const [, name = ""] = /^\/(?:body|query)\/(\w+)$/.exec(path) ?? []
    const isTaken = own.includes(name) || ofAll.includes(name)
    if (!message.startsWith("Unknown field: methods") || !(isTaken || ofSome.includes(name))) return violation
    const text = isTaken ? `${name} is an option of ${method}` : `${method} takes no ${name}`
    const which = own.length === 0 ? "it has none of its own" : `those of its own are ${own.join(", ")}`
    return { path, message: `Unknown field: ${text}. Options are its last argument; ${which}` }
  }

/** What is expected, with what was received. A text that a check rejects may be a number of a URL. */
const withInput = (message: string, issue: SchemaIssue.Issue, isText = false): string =>
  SchemaIssue.hasInput(issue) ? `${message}, not ${shown(issue.input, isText)}` : message

/** The message of a violation without what was received, to count violations of one kind. */
export const withoutInput = (message: string): string => message.replace(/, not .*$/s, "")

/** The text of a choice that was probably meant by one that is none of its texts. */
const suggestion = (issue: SchemaIssue.AnyOf): string => {
  const texts = issue.ast.types.flatMap((type) =>
    SchemaAST.isLiteral(type) && typeof type.literal === "string" ? [type.literal] : []
  )
  const input: unknown = SchemaIssue.hasInput(issue) ? issue.input : undefined
  const meant = typeof input === "string" ? closest(input, texts) : undefined
  return meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`
}

const violationsAt = (path: string, issue: SchemaIssue.Issue): ReadonlyArray<Violation> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => violationsAt(path, inner))
    case "Encoding":
      return violationsAt(path, issue.issue)
    case "Pointer":
      return violationsAt(path + issue.path.map(step).join(""), issue.issue)
    case "MissingKey":
      return [{ path, message: "Missing field" }]
    case "UnexpectedKey":
      return [{ path, message: "Unknown field" }]
    case "InvalidType":
      return [{ path, message: withInput(`Expected ${noun(SchemaAST.toEncoded(issue.ast))}`, issue) }]
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, message: withInput(`Expected ${noun(SchemaAST.toEncoded(issue.ast))}`, issue) + suggestion(issue) }]
        : issue.issues.flatMap((inner) => violationsAt(path, inner))
    default: {
      const { input } = issue
      return format(issue).issues.map((inner) => ({
        path: path + (inner.path ?? []).map(step).join(""),
        message: typeof input === "object" ? inner.message : withInput(inner.message, issue, true)
      }))
    }
  }
}

/** Adds the violations of an input to those that were found before, up to the limit. */
export type Collect = (path: string, input: unknown, violations: Array<Violation>) => void

const hasRoom = (violations: ReadonlyArray<Violation>): boolean => violations.length < limits.violations

/** Of a part that has few of them. */
const collectAll = (ast: SchemaAST.AST): Collect => {
  const decode = SchemaParser.decodeUnknownResult(Schema.make<Schema.ConstraintDecoder<unknown>>(ast), {
    errors: "all",
    onExcessProperty: "error",
    reportInput: true
  })
  return (path, input, violations) => {
    const decoded = decode(input)
    if (Result.isSuccess(decoded)) return
    for (const violation of violationsAt(path, decoded.failure)) if (hasRoom(violations)) violations.push(violation)
  }
}

const collectElements = (ast: SchemaAST.AST, element: SchemaAST.AST): Collect => {
  const whole = collectAll(ast)
  const collect = collectorOf(element)
  return (path, input, violations) => {
    const before = violations.length
    if (Array.isArray(input)) {
      for (let index = 0; index < input.length && hasRoom(violations); index++)
        collect(`${path}/${index}`, input[index], violations)
    }
    if (violations.length === before) whole(path, input, violations)
  }
}

const collectFields = (ast: SchemaAST.Objects): Collect => {
  const whole = collectAll(ast)
  const fields = ast.propertySignatures.map((field) => ({
    name: field.name,
    collect: collectorOf(field.type),
    collectMissing: collectAll(new SchemaAST.Objects([field], []))
  }))
  const names = new Set(fields.map(({ name }) => name))
  const known = fields.map(({ name }) => String(name))
  return (path, input, violations) => {
    const before = violations.length
    if (isObject(input)) {
      for (const key of Reflect.ownKeys(input)) {
        if (!hasRoom(violations)) return
        const isUnknown = !names.has(key) && Object.prototype.propertyIsEnumerable.call(input, key)
        if (isUnknown) violations.push({ path: path + step(key), message: unknownName("field", String(key), known) })
      }
      for (const { collect, collectMissing, name } of fields) {
        if (!hasRoom(violations)) return
        if (name in input) collect(path + step(name), Reflect.get(input, name), violations)
        else collectMissing(path, {}, violations)
      }
    }
    if (violations.length === before) whole(path, input, violations)
  }
}

const isObject = (input: unknown): input is object =>
  typeof input === "object" && input !== null && !Array.isArray(input)

/**
 * Returns a function that finds the first violations of an input, in the order of its fields. It makes no more than are shown, since an
 * input may have as many as characters.
 */
export const collectorOf = (ast: SchemaAST.AST): Collect => {
  if (ast.encoding !== undefined) return collectAll(ast)
  // Inputs have no tuples: the elements of an array are alike.
  if (SchemaAST.isArrays(ast) && ast.rest[0] !== undefined) return collectElements(ast, ast.rest[0])
  if (SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0) return collectFields(ast)
  return collectAll(ast)
}

/**
 * Returns a function that lists the first unknown fields of an object with more of them than are shown; undefined for others. To look at
 * its fields more than once takes longer than to parse it.
 */
export const unknownFieldsIn = (ast: SchemaAST.AST) => {
  const isPlain = SchemaAST.isObjects(ast) && ast.encoding === undefined && ast.indexSignatures.length === 0
  const names = new Set<PropertyKey>(isPlain ? ast.propertySignatures.map(({ name }) => name) : [])
  const known = [...names].map(String)
  return (path: string, input: unknown): ReadonlyArray<Violation> | undefined => {
    if (!isPlain || !isObject(input)) return undefined
    const keys = Reflect.ownKeys(input)
    if (keys.length < names.size + limits.violations) return undefined
    const unknown = keys.filter((key) => !names.has(key)).slice(0, limits.violations)
    return unknown.map((key) => ({ path: path + step(key), message: unknownName("field", String(key), known) }))
  }
}

const objectsIn = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Objects> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(objectsIn) : SchemaAST.isObjects(ast) ? [ast] : []

/**
 * Returns a function that finds a value that would be read as an object without fields, and is none, such as a promise or a Map: the
 * input itself, or one of its fields.
 */
export const foreignFinder = (
  ast: SchemaAST.AST
): ((path: string, input: unknown) => Violation | undefined) | undefined => {
  const [objects] = objectsIn(ast)
  if (objects === undefined) return undefined
  const names = objects.propertySignatures.map(({ name }) => name)
  const nested = objects.propertySignatures.filter(({ type }) => objectsIn(type).length > 0).map(({ name }) => name)
  const foreign = (path: string, value: unknown): Violation | undefined =>
    hasNoFields(value) ? { path, message: `Expected an object, not ${shown(value)}` } : undefined
  return (path, input) => {
    if (!isObject(input)) return undefined
    // A field may be a getter of its class.
    if (Predicate.isPromiseLike(input) || !names.some((name) => name in input)) return foreign(path, input)
    for (const name of nested) {
      const violation = foreign(path + step(name), Reflect.get(input, name))
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

/** Finds a list or an object that has more than it may. */
type FindExcess = (path: string, input: unknown) => Violation | undefined

const sizes = new Set<unknown>(["effect/schema/isMaxLength", "effect/schema/isMaxProperties"])

const ownExcess = (ast: SchemaAST.AST): FindExcess | undefined => {
  const checks = (ast.checks ?? []).flatMap((check) =>
    check._tag === "Filter" && sizes.has(check.annotations?.representation?.id) ? [check] : []
  )
  if (checks.length === 0) return undefined
  return (path, input) => {
    for (const check of checks) {
      const issue = check.run(input, ast, {})
      if (issue !== undefined) return { path, message: String(check.annotations?.message) }
    }
    return undefined
  }
}

/** Returns a function that finds a list or object that is too large before anything in it is looked at; undefined if none has a maximum. */
export const excessFinder = (ast: SchemaAST.AST): FindExcess | undefined => {
  if (ast.encoding !== undefined) return undefined
  if (SchemaAST.isUnion(ast)) {
    const [one, ...others] = ast.types.flatMap((type) => excessFinder(type) ?? [])
    return others.length === 0 ? one : undefined
  }
  const own = ownExcess(ast)
  if (SchemaAST.isArrays(ast)) {
    const [element] = ast.rest
    const inner = element && excessFinder(element)
    if (own === undefined && inner === undefined) return undefined
    return (path, input) => {
      if (!Array.isArray(input)) return undefined
      const excess = own?.(path, input)
      if (excess !== undefined || inner === undefined) return excess
      for (const [index, value] of input.entries()) {
        const violation = inner(`${path}/${index}`, value)
        if (violation !== undefined) return violation
      }
      return undefined
    }
  }
  if (!SchemaAST.isObjects(ast)) return undefined
  const fields = ast.propertySignatures.flatMap(({ name, type }) => {
    const find = excessFinder(type)
    return find === undefined ? [] : [{ find, name }]
  })
  if (own === undefined && fields.length === 0) return undefined
  return (path, input) => {
    if (!isObject(input)) return undefined
    const excess = own?.(path, input)
    if (excess !== undefined) return excess
    for (const { find, name } of fields) {
      const violation = find(path + step(name), Reflect.get(input, name))
      if (violation !== undefined) return violation
    }
    return undefined
  }
}
