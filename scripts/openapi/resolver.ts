import type { OpenApi } from "@petstore/http/openapi"
import type { Header, Parameter, Response, Schema } from "./Change.ts"

type Reference = { readonly $ref: string }

/** Resolves the references of one document. */
export interface Resolver {
  readonly schema: (schema: Schema | Reference) => Schema
  readonly parameter: (parameter: Parameter | Reference) => Parameter
  readonly header: (header: Header | Reference) => Header
  readonly response: (response: Response | Reference) => Response
}

const lookUp = <A extends object>(components: Readonly<Record<string, A>>) => {
  const find = (value: A | Reference): A => {
    if (!("$ref" in value)) return value
    const found = components[value.$ref.slice(value.$ref.lastIndexOf("/") + 1)]
    if (found === undefined) throw new Error(`No component at ${value.$ref}`)
    return found
  }
  return find
}

/** A reference with a description is wrapped in `allOf`: the schema is the same. */
const unwrapped = (schema: Schema | Reference): Schema | Reference => {
  if ("$ref" in schema) return schema
  const { allOf, description: _description, ...rest } = schema
  const [only, ...others] = allOf ?? []
  return only !== undefined && others.length === 0 && Object.keys(rest).length === 0 ? only : schema
}

export const resolver = ({ components }: OpenApi): Resolver => ({
  schema: (schema) => lookUp(components.schemas)(unwrapped(schema)),
  parameter: lookUp(components.parameters),
  header: lookUp(components.headers),
  response: lookUp(components.responses)
})
