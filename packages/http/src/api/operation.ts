import type { EventScope, OperationName, RecordKind, Scope } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
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

/** The contract of an operation beside its schemas. */
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

/** A schema that requires no services. */
export type PlainSchema = Schema.Codec<unknown, unknown>

/** The parameters of a path. */
type PathFields = Readonly<Record<string, Schema.Codec<unknown, string | undefined>>>
/** The parameters of a query, which may be repeated. */
type QueryFields = Readonly<Record<string, Schema.Codec<unknown, string | ReadonlyArray<string> | undefined>>>
type Fields = PathFields | QueryFields

type StructOf<F> = F extends Schema.Struct.Fields ? Schema.Struct<F> & PlainSchema : undefined

const structOf = <F extends Fields | undefined>(fields: F): StructOf<F> =>
  (fields === undefined ? undefined : Schema.Struct(fields)) as StructOf<F>

/** An operation as plain data, of which server, client and OpenAPI document are derived. */
export interface DeclaredOperation extends Omit<Contract, "idempotencyKey" | "secret"> {
  readonly id: string
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

export interface TypedOperation<
  Id extends string,
  UseCase extends OperationName,
  Params,
  Query,
  Body extends PlainSchema | undefined,
  Success extends PlainSchema | undefined
> extends DeclaredOperation {
  readonly id: Id
  readonly useCase: UseCase
  readonly params: StructOf<Params>
  readonly query: StructOf<Query>
  readonly body: Body
  readonly success: Success
}

/** The type of a part of an operation; `never` if it has none. */
export type TypeOf<S> = S extends Schema.Top ? S["Type"] : never

/**
 * Declares an operation. `path` is relative to the base path; `:name` is a parameter. The texts and examples of
 * the operation are returned by the function `<id>Docs` beside it.
 */
export const operation = <
  const Id extends string,
  M extends Method,
  const UseCase extends OperationName,
  const Path extends `/${string}`,
  Params extends PathFields | undefined = undefined,
  Query extends QueryFields | undefined = undefined,
  Body extends PlainSchema | undefined = undefined,
  Success extends PlainSchema | undefined = undefined
>(
  id: Id,
  method: M,
  path: Path,
  {
    body,
    params,
    query,
    status,
    success,
    ...contract
  }: ContractOf<M> & {
    readonly useCase: UseCase
    readonly params?: Params
    readonly query?: Query
    readonly body?: Body
    /** Without it, a success has no body. */
    readonly success?: Success
    /** The status of a success. Default: 200, or 204 without a body. */
    readonly status?: 201 | 202
  }
): TypedOperation<Id, UseCase, Params, Query, Body, Success> => {
  const { idempotencyKey = "ignored", secret = false, ...stated } = contract as Contract & { readonly useCase: UseCase }
  return {
    ...stated,
    id,
    method,
    path,
    params: structOf(params as Params),
    query: structOf(query as Query),
    body: body as Body,
    status: status ?? (success === undefined ? 204 : 200),
    success: success as Success,
    idempotencyKey,
    secret
  }
}
