import type { EventScope, OperationName, RecordKind, Scope } from "@petstore/core/domain"
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Schema from "effect/Schema"
import type { EntityTagKind } from "./EntityTag.ts"

/** A scope that is required if this field of the body is true. */
interface BodyScope {
  readonly field: string
  /** The field of the body with the objects that have it, any of them. Default: the body itself. */
  readonly of?: string
  readonly scope: Scope
  /**
   * Whether this scope suffices for a body that has no other field, so that callers with the preset `warehouse` complete orders and cannot place
   * any. Default: false, the scopes of the operation are required too.
   */
  readonly sufficesAlone?: true
}

/** The end of an operation. Days are ISO dates; the operation ends as the day of its sunset begins, in UTC. */
export interface Deprecation {
  readonly announced: string
  readonly sunset: string
  /** The path of the operation to use instead; `:name` is the same parameter as in the path of the old one. */
  readonly successor: `/${string}`
}

/** The contract of an operation beside its schemas. Server, client and OpenAPI document are derived from it. */
export interface Contract {
  /** The use case that carries the operation out, and the method of the petstore that a client offers for it. */
  readonly useCase: OperationName
  /** The kind of resource, if the use case is for several. */
  readonly kind?: RecordKind
  /** The scopes that a key needs, all of them, unless the body needs only that of {@link bodyScope}; none if any key will do. */
  readonly scopes: ReadonlyArray<Scope>
  readonly bodyScope?: BodyScope
  /** A scope that stands for {@link scopes}: with it alone, no orders exist but the caller's own. */
  readonly ownScope?: "orders:own"
  /** Scopes that each stand for {@link scopes}, for the events of their types. */
  readonly typeScopes?: ReadonlyArray<EventScope>
  /** A scope that a caller with `orders:own` needs too, since the operation shows something of everyone's orders. */
  readonly allOrdersScope?: "orders:read"
  /** The scope without which the owners of orders are not in their records. */
  readonly ownersScope?: "orders:owners"
  /**
   * What the operation does with an `Idempotency-Key`; default: ignored. Operations that return a secret reject the
   * header: secrets are not stored, so the response could not be repeated.
   */
  readonly idempotencyKey?: "honoured" | "rejected"
  /**
   * The entity tag of the resource. Reads, updates and deletions then support `If-Match` and `If-None-Match`; the target of a POST has
   * no entity tag.
   */
  readonly entityTag?: EntityTagKind
  /**
   * For a POST that creates nothing: whether sending it again changes nothing more, so that clients may repeat it after an
   * unknown outcome.
   */
  readonly repeatable?: boolean
  /** The path of the created resource; `:field` is a field of the response. */
  readonly location?: `/${string}`
  /** Whether the response contains a secret, which caches must not store. */
  readonly secret?: true
  /** Whether a success is a stream of Server-Sent Events, which does not end by itself. */
  readonly streams?: true
  readonly deprecation?: Deprecation
}

type Creation = Required<Pick<Contract, "idempotencyKey" | "location">> & { readonly repeatable?: never }
type KeyedAction = { readonly idempotencyKey: "honoured"; readonly location?: never; readonly repeatable?: never }
type Action = Required<Pick<Contract, "repeatable">> & { readonly location?: never; readonly idempotencyKey?: never }

/**
 * The contract of an operation, by its method: creations have a location and decide about idempotency keys; other POSTs honour
 * these, or decide about repetitions. What other methods change has an entity tag, except for what is only created and deleted.
 */
type ContractOf<Method> = Contract &
  (Method extends "POST"
    ? Creation | KeyedAction | Action
    : { readonly location?: never; readonly repeatable?: never } & (Method extends "GET" | "DELETE"
        ? unknown
        : Required<Pick<Contract, "entityTag">>))

/** The methods that operations have; HEAD follows GET. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The annotation of an endpoint with its {@link Contract}. */
export const ContractAnnotation = Context.Service<Contract>("@petstore/http/api/Contract")

/**
 * Declares an operation. `path` is relative to the base path; `:name` is a parameter. The texts and examples of
 * the operation are returned by the function `<id>Docs` beside it.
 */
export const operation = <
  const Id extends string,
  M extends Method,
  const UseCase extends OperationName,
  const Path extends `/${string}`,
  Params extends HttpApiEndpoint.ParamsConstraint = never,
  Query extends HttpApiEndpoint.QueryConstraint = never,
  Payload extends HttpApiEndpoint.PayloadConstraint<M> = never,
  const Success extends Schema.Top = typeof HttpApiSchema.NoContent
>(
  id: Id,
  method: M,
  path: Path,
  {
    params,
    payload,
    query,
    success,
    ...contract
  }: ContractOf<M> & {
    readonly useCase: UseCase
    readonly params?: Params | undefined
    readonly query?: Query | undefined
    readonly payload?: Payload | undefined
    /** With its status (200 if it has none); without a schema, a success is an empty 204. */
    readonly success?: Success | undefined
  }
) => {
  const endpoint = HttpApiEndpoint.make(method)(id, path, { disableCodecs: true, params, payload, query, success })
  // The name of the use case in the type lets the compiler compare what both take and return.
  const typed: typeof endpoint & { readonly "~useCase"?: UseCase } = endpoint.annotate(
    ContractAnnotation,
    contract as Contract
  )
  return typed
}
