import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import { type Contract, ContractAnnotation, type Method } from "./operation.ts"
import { type OperationId, PetstoreHttpApi } from "./PetstoreHttpApi.ts"

/** A schema that requires no services. */
export type PlainSchema = Schema.Codec<unknown, unknown>

/** An operation of the contract as plain data. */
export interface Operation extends Omit<Contract, "idempotencyKey" | "secret"> {
  readonly id: OperationId
  /** The heading of the operation in the OpenAPI document. */
  readonly tag: string
  readonly method: Method
  /** Relative to the base path; `:name` is a parameter. */
  readonly path: string
  readonly params: PlainSchema | undefined
  readonly query: PlainSchema | undefined
  readonly body: PlainSchema | undefined
  /** The status of a success. */
  readonly status: number
  /** The body of a success; undefined if it has none. */
  readonly success: PlainSchema | undefined
  readonly idempotencyKey: "honoured" | "ignored" | "rejected"
  readonly secret: boolean
}

// Reflection loses the types of the contract: identifiers and methods of its own list, and schemas that need no services.
const plain = (schema: Schema.Top | undefined) => schema as PlainSchema | undefined
const idOf = (endpoint: HttpApiEndpoint.Top) => endpoint.identifier as OperationId
const methodOf = (endpoint: HttpApiEndpoint.Top) => endpoint.method as Method

const jsonBody = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined => {
  const media = endpoint.payload.get("application/json")
  if (endpoint.payload.size > 1 || (endpoint.payload.size === 1 && media === undefined)) {
    throw new TypeError(`${endpoint.identifier} takes a body that is not JSON`)
  }
  return media?.schemas[0]
}

type Reflected = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

const describe = ({ endpoint, group, successes }: Reflected): Operation => {
  const [response, ...others] = successes
  if (response === undefined || others.length > 0) throw new TypeError(`${endpoint.identifier} must have one success`)
  const [status, [body]] = response
  const contract = Context.getUnsafe(endpoint.annotations, ContractAnnotation)
  return {
    ...contract,
    id: idOf(endpoint),
    tag: Context.getOrElse(group.annotations, OpenApi.Title, () => ""),
    method: methodOf(endpoint),
    path: endpoint.path,
    params: plain(endpoint.params),
    query: plain(endpoint.query),
    body: plain(jsonBody(endpoint)),
    status,
    success: HttpApiSchema.isNoContent(body.ast) ? undefined : plain(body),
    idempotencyKey: contract.idempotencyKey ?? "ignored",
    secret: contract.secret ?? false
  }
}

const reflect = (): ReadonlyArray<Operation> => {
  const found: Array<Operation> = []
  HttpApi.reflect(PetstoreHttpApi, {
    onGroup: () => {},
    onEndpoint: (endpoint) => {
      found.push(describe(endpoint))
    }
  })
  return found
}

/** Every operation of the contract. */
export const operations: ReadonlyArray<Operation> = reflect()

/** A path of the contract with braces around its parameters, such as `/pets/{petId}`. */
export const pathTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

/** The names of the parameters in a path of the contract, in their order. */
export const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

/**
 * Whether the successes of an operation are compressed for clients that accept it: lists, which can be large and have no
 * entity tag. Those of accounts and API keys never are, so that their length reveals nothing about a secret (BREACH).
 */
export const isCompressible = (operation: Operation): boolean =>
  isList(operation) && !operation.scopes.includes("admin")

const takes = ({ query }: Operation, parameter: string): boolean =>
  query !== undefined && "fields" in query && parameter in Object(query.fields)

/** Whether a page may have the total of its list. */
export const isCounted = (operation: Operation): boolean => takes(operation, "count")

/** Whether a success is a page of a list. */
export const isList = (operation: Operation): boolean =>
  operation.method === "GET" && operation.streams === undefined && takes(operation, "limit")
