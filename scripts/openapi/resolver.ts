import type { OpenApi } from "@petstore/http/openapi"
import type { Header, Parameter, Response, Schema } from "./Change.ts"

type Reference = { readonly $ref: string }

/** Looks up what references point to in one document. */
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
    if (found === undefined) throw new Error(`There is nothing at ${value.$ref}`)
    return found
  }
  return find
}

export const resolver = ({ components }: OpenApi): Resolver => ({
  schema: lookUp(components.schemas),
  parameter: lookUp(components.parameters),
  header: lookUp(components.headers),
  response: lookUp(components.responses)
})
