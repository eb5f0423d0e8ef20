import { limits, unknownName, type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import type { PlainSchema } from "../../api/operation.ts"

const nothing: Validated<undefined> = Result.succeed(undefined)

const encoded = /[%+]/

const decode = (text: string): string | undefined => {
  if (!encoded.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** The JSON pointer of a parameter; an unknown name may be long, so it is cut. */
const pointer = (name: string): string => {
  const shown = name.length > limits.shownKey ? `${name.slice(0, limits.shownKey)}…` : name
  return `/query/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`
}

const isRepeated = (type: SchemaAST.AST): boolean => SchemaAST.isArrays(SchemaAST.toEncoded(type))

/** The parameters of a query by name, and whether they may be sent more than once. */
const parametersOf = ({ ast }: PlainSchema): ReadonlyMap<string, { readonly repeated: boolean }> => {
  if (!SchemaAST.isObjects(ast)) throw new TypeError("The parameters of a query must be the fields of a struct")
  return new Map(ast.propertySignatures.map(({ name, type }) => [String(name), { repeated: isRepeated(type) }]))
}

/** A pair of a query, such as `limit=20`; without a value if that is not percent-encoded UTF-8. */
const parsePair = (pair: string): { readonly name: string; readonly value: string | undefined } => {
  const equals = pair.indexOf("=")
  const name = equals === -1 ? pair : pair.slice(0, equals)
  return { name: decode(name) ?? name, value: equals === -1 ? "" : decode(pair.slice(equals + 1)) }
}

/** How many pairs are remembered of an operation, and how long they may be: cursors, which are longer, come once. */
const [mostPairs, longestPair] = [256, 32]

interface Meaning {
  readonly name: string
  readonly value: unknown
}

/**
 * Returns a function that reads a query in which each parameter stands once and is valid, as nearly all are; for any other, it returns
 * undefined. It remembers what pairs mean, since clients send few different ones. Returns undefined for a schema with checks of several
 * fields, because then the meaning of one depends on others.
 */
const plainReader = ({ ast }: PlainSchema): ((query: string) => unknown) | undefined => {
  if (!SchemaAST.isObjects(ast) || ast.checks !== undefined || ast.encoding !== undefined) return undefined
  const readers = new Map(
    ast.propertySignatures.flatMap(({ name, type }) =>
      isRepeated(type)
        ? []
        : [[String(name), SchemaParser.decodeUnknownResult(Schema.make<PlainSchema>(type))] as const]
    )
  )
  const required = ast.propertySignatures.flatMap(({ name, type }) =>
    type.context?.isOptional === true ? [] : [String(name)]
  )
  const remembered = new Map<string, Meaning>()
  const meaningOf = (pair: string): Meaning | undefined => {
    const { name, value } = parsePair(pair)
    const read = value === undefined ? undefined : readers.get(name)?.(value)
    if (read === undefined || Result.isFailure(read)) return undefined
    const meaning = { name, value: read.success }
    // An object could be changed by the request that gets it.
    if (pair.length <= longestPair && typeof read.success !== "object") {
      if (remembered.size >= mostPairs) remembered.clear()
      remembered.set(pair, meaning)
    }
    return meaning
  }
  return (query) => {
    const meant: Record<string, unknown> = {}
    for (const pair of query.split("&")) {
      const meaning = remembered.get(pair) ?? meaningOf(pair)
      if (meaning === undefined || meant[meaning.name] !== undefined) return undefined
      meant[meaning.name] = meaning.value
    }
    return required.every((name) => name in meant) ? meant : undefined
  }
}

/** Returns a function that validates the query of an operation: each parameter once, unless it is a list, and none that is unknown. */
export const queryReader = (schema: PlainSchema | undefined): ((query: string) => Validated<unknown>) => {
  const known = schema === undefined ? new Map<string, { readonly repeated: boolean }>() : parametersOf(schema)
  const names = [...known.keys()]
  const validate = schema === undefined ? undefined : validator(schema)
  const readPlain = schema === undefined ? undefined : plainReader(schema)
  const empty = validate?.("/query", {}) ?? nothing

  return (query) => {
    if (query === "") return empty
    const plain = readPlain?.(query)
    if (plain !== undefined) return Result.succeed(plain)
    const values: Record<string, string> = {}
    const lists: Record<string, Array<string>> = {}
    const violations: Array<Violation> = []
    for (const pair of query.split("&")) {
      if (pair === "" || violations.length === limits.violations) continue
      const { name, value } = parsePair(pair)
      const parameter = known.get(name)
      if (parameter === undefined) {
        violations.push({ path: pointer(name), message: unknownName("parameter", name, names) })
      } else if (value === undefined) {
        violations.push({ path: pointer(name), message: "Expected percent-encoded UTF-8" })
      } else if (parameter.repeated) {
        lists[name] ??= []
        lists[name].push(value)
      } else if (values[name] === undefined) {
        values[name] = value
      } else {
        violations.push({ path: pointer(name), message: "Expected this parameter once" })
      }
    }
    const validated = validate?.("/query", { ...values, ...lists }) ?? nothing
    if (violations.length === 0) return validated
    const others = Result.isFailure(validated) ? validated.failure : []
    return Result.fail([...violations, ...others].slice(0, limits.violations))
  }
}
