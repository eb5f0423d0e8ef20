import { type Validated, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import type { Operation } from "../../api/operations.ts"
import { IdParameter } from "../../api/parameters.ts"

/** The names of the parameters in a path, in their order. */
export const pathParameters = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

/** Returns a function that puts values into a path. `names`: which parameter each value is for. */
export const pathFiller = (path: string, names: ReadonlyArray<string>): ((values: ReadonlyArray<string>) => string) => {
  const [start = "", ...rest] = path.split(/:(\w+)/)
  const steps = rest.flatMap((name, index) =>
    index % 2 === 0 ? [{ place: names.indexOf(name), text: rest[index + 1] ?? "" }] : []
  )
  return (values) => {
    let filled = start
    for (const { place, text } of steps) filled += encodeURIComponent(values[place] ?? "") + text
    return filled
  }
}

const nothing: Validated<undefined> = Result.succeed(undefined)

/** An id as nearly all are: short enough to need no further check. */
const smallId = /^[1-9][0-9]{0,14}$/

/** Returns a function that validates the values in the path of an operation. */
export const pathReader = ({ params, path }: Operation): ((values: ReadonlyArray<string>) => Validated<unknown>) => {
  if (params === undefined) return () => nothing
  const names = pathParameters(path)
  const validate = validator(params)
  const read = (values: ReadonlyArray<string>) =>
    validate("/path", Object.fromEntries(names.map((name, index) => [name, values[index]])))

  const { ast } = params
  const [name, ...others] = names
  const onlyId =
    name !== undefined &&
    others.length === 0 &&
    SchemaAST.isObjects(ast) &&
    ast.propertySignatures.every(({ type }) => type === IdParameter.ast)
  if (!onlyId) return read
  return (values) => {
    const [id = ""] = values
    return smallId.test(id) ? Result.succeed({ [name]: Number(id) }) : read(values)
  }
}
