import type { ErrorCode, Scope } from "@petstore/core/domain"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import {
  BodyScope,
  EntityTag,
  Errors,
  HostRules,
  IdempotencyKey,
  Location,
  Marks,
  type OperationMarks,
  type ScopeOfBody,
  Scopes,
  Secret
} from "./annotations.ts"
import type { EntityTagKind } from "./EntityTag.ts"
import type { OperationId } from "./PetstoreHttpApi.ts"
import { PetstoreHttpApi } from "./PetstoreHttpApi.ts"

/** A schema that needs no services. */
export type PlainSchema = Schema.Codec<unknown, unknown>

/** One operation of the contract, as plain data. */
export interface Operation {
  readonly id: OperationId
  /** The heading that it stands under. */
  readonly tag: string
  readonly summary: string
  readonly method: string
  /** Relative to the base path; `:name` is a parameter. */
  readonly path: string
  readonly params: PlainSchema | undefined
  readonly query: PlainSchema | undefined
  readonly body: PlainSchema | undefined
  /** Of a success. */
  readonly status: number
  /** Undefined if a success has no body. */
  readonly success: PlainSchema | undefined
  /** All of them are needed, unless the body asks for nothing but what {@link bodyScope} suffices for. */
  readonly scopes: ReadonlyArray<Scope>
  readonly bodyScope: ScopeOfBody | undefined
  readonly idempotencyKey: "honoured" | "ignored" | "refused"
  readonly entityTag: EntityTagKind | undefined
  readonly location: `/${string}` | undefined
  readonly secret: boolean
  readonly marks: OperationMarks
  /** Whether rules of the host may refuse it too. */
  readonly hostRules: boolean
  /** Those of its own; see {@link errorCodes} for all. */
  readonly errors: ReadonlyArray<ErrorCode>
}

// Reflection forgets what the contract is made of: names from its own list, and schemas that need no services.
const plain = (schema: Schema.Top | undefined) => schema as PlainSchema | undefined
const idOf = (endpoint: HttpApiEndpoint.Top) => endpoint.identifier as OperationId

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
  const { annotations } = endpoint
  const scopes = Context.get(annotations, Scopes)
  if (scopes === undefined) throw new TypeError(`${endpoint.identifier} must say which scopes it needs`)
  return {
    id: idOf(endpoint),
    tag: Context.getOrElse(group.annotations, OpenApi.Title, () => ""),
    summary: Context.getOrElse(annotations, OpenApi.Summary, () => ""),
    method: endpoint.method,
    path: endpoint.path,
    params: plain(endpoint.params),
    query: plain(endpoint.query),
    body: plain(jsonBody(endpoint)),
    status,
    success: HttpApiSchema.isNoContent(body.ast) ? undefined : plain(body),
    scopes,
    bodyScope: Context.get(annotations, BodyScope),
    idempotencyKey: Context.get(annotations, IdempotencyKey),
    entityTag: Context.get(annotations, EntityTag),
    location: Context.get(annotations, Location),
    secret: Context.get(annotations, Secret),
    marks: Context.get(annotations, Marks),
    hostRules: Context.get(annotations, HostRules),
    errors: Context.get(annotations, Errors)
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

/**
 * Whether the successes of an operation are compressed for clients that accept it: lists, which can be large and have no
 * entity tag. Those of accounts and API keys never are, so that their length reveals nothing about a secret (BREACH).
 */
export const isCompressible = ({ query, scopes }: Operation): boolean =>
  query !== undefined && !scopes.includes("admin")
