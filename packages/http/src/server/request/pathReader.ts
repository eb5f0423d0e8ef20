import { type Validated, validator } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import type { Operation } from "../../api/operations.ts"
import { IdParameter } from "../../api/parameters.ts"
import { pathParameters } from "./pathParameters.ts"

/** An identifier as nearly all are: small enough to need no other look. */
const smallId = /^[1-9][0-9]{0,14}$/

/** Reads the parameters in the path of an operation. */
export const pathReader = ({ params, path }: Operation): ((values: ReadonlyArray<string>) => Validated<unknown>) => {
  if (params === undefined) return () => Result.succeed(undefined)
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
