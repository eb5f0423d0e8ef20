import { limits, unknownName, type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
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

/** The parameters of a query by name, and whether they may be sent more than once. */
const parametersOf = ({ ast }: PlainSchema): ReadonlyMap<string, { readonly repeated: boolean }> => {
  if (!SchemaAST.isObjects(ast)) throw new TypeError("The parameters of a query must be the fields of a struct")
  return new Map(
    ast.propertySignatures.map(({ name, type }) => [
      String(name),
      { repeated: SchemaAST.isArrays(SchemaAST.toEncoded(type)) }
    ])
  )
}

type Values = Readonly<Record<string, unknown>>

/** How many texts of a parameter are remembered, and how long they may be. */
const [mostTexts, longestText] = [256, 32]

/**
 * Remembers what texts of parameters mean, since clients send few. The meaning of one depends on no other, as long as the schema
 * is nothing but its fields: undefined for another one.
 */
const rememberedFields = ({ ast }: PlainSchema) => {
  if (!SchemaAST.isObjects(ast) || ast.checks !== undefined || ast.encoding !== undefined) return undefined
  const meanings = new Map(ast.propertySignatures.map(({ name }) => [String(name), new Map<unknown, unknown>()]))
  const required = ast.propertySignatures.flatMap(({ name, type }) =>
    type.context?.isOptional === true ? [] : [String(name)]
  )
  return {
    /** The meaning of parameters; undefined if that of one is not remembered. */
    recall: (sent: Values): Values | undefined => {
      const meant: Record<string, unknown> = {}
      for (const name in sent) {
        const value = meanings.get(name)?.get(sent[name])
        if (value === undefined) return undefined
        meant[name] = value
      }
      return required.every((name) => name in meant) ? meant : undefined
    },
    remember: (sent: Values, meant: Values): void => {
      for (const name in sent) {
        const known = meanings.get(name)
        const [text, meaning] = [sent[name], meant[name]]
        // An object could be changed by the request that gets it.
        if (known === undefined || String(text).length > longestText || typeof meaning === "object") continue
        if (known.size >= mostTexts) known.clear()
        known.set(text, meaning)
      }
    }
  }
}

/** Returns a function that validates the query of an operation: each parameter once, unless it is a list, and none that is unknown. */
export const queryReader = (schema: PlainSchema | undefined): ((query: string) => Validated<unknown>) => {
  const known = schema === undefined ? new Map<string, { readonly repeated: boolean }>() : parametersOf(schema)
  const names = [...known.keys()]
  const validate = schema === undefined ? undefined : validator(schema)
  const memory = schema === undefined ? undefined : rememberedFields(schema)
  const empty = validate?.("/query", {}) ?? nothing

  return (query) => {
    if (query === "") return empty
    const values: Record<string, string> = {}
    const lists: Record<string, Array<string>> = {}
    const violations: Array<Violation> = []
    for (const pair of query.split("&")) {
      if (pair === "" || violations.length === limits.violations) continue
      const equals = pair.indexOf("=")
      const sentName = equals === -1 ? pair : pair.slice(0, equals)
      const name = decode(sentName) ?? sentName
      const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
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
    const isPlain = violations.length === 0 && Object.keys(lists).length === 0
    const recalled = isPlain ? memory?.recall(values) : undefined
    if (recalled !== undefined) return Result.succeed(recalled)
    const validated = validate?.("/query", { ...values, ...lists }) ?? nothing
    if (isPlain && Result.isSuccess(validated)) memory?.remember(values, validated.success as Values)
    if (violations.length === 0) return validated
    const others = Result.isFailure(validated) ? validated.failure : []
    return Result.fail([...violations, ...others].slice(0, limits.violations))
  }
}
