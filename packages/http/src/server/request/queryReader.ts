import { limits, unknownName, type Validated, type Violation, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import type { PlainSchema } from "../../api/operations.ts"

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

/** Returns a function that validates the query of an operation: each parameter once, unless it is a list, and none that is unknown. */
export const queryReader = (schema: PlainSchema | undefined): ((query: string) => Validated<unknown>) => {
  const known = schema === undefined ? new Map<string, { readonly repeated: boolean }>() : parametersOf(schema)
  const names = [...known.keys()]
  const validate = schema === undefined ? undefined : validator(schema)

  return (query) => {
    if (query === "") return validate === undefined ? nothing : validate("/query", {})
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
    const validated = validate?.("/query", { ...values, ...lists }) ?? Result.succeed(undefined)
    if (violations.length === 0) return validated
    const others = Result.isFailure(validated) ? validated.failure : []
    return Result.fail([...violations, ...others].slice(0, limits.violations))
  }
}
