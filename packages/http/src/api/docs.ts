import type { ErrorCode } from "@petstore/core/domain"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as Schema from "effect/Schema"

// What only the OpenAPI document says. It stands in functions beside the operations, which nothing but the document
// calls, so that bundlers leave it out of the client.

export interface ParameterDocs {
  readonly description: string
  /** What the server accepts, if the type alone does not say it. */
  readonly pattern?: string
  readonly example?: unknown
}

/** The parameters of a list that every list has. */
type PageParameter = "limit" | "cursor"

type QueryDocs<Query> = [Query] extends [never]
  ? { readonly query?: never }
  : [Exclude<keyof Query, PageParameter>] extends [never]
    ? { readonly query?: never }
    : { readonly query: { readonly [Name in Exclude<keyof Query, PageParameter>]-?: ParameterDocs } }

type Example<Value, Name extends string> = [Extract<Value, object>] extends [never]
  ? { readonly [N in Name]?: never }
  : { readonly [N in Name]: Value }

/** What the document says of an operation beside its contract. Scopes, deprecation and common errors are derived. */
export type OperationDocs<Endpoint> = {
  /** In the imperative, without a full stop. */
  readonly summary: string
  readonly description: string
  /** What a success means. */
  readonly success: string
  /** The errors of this operation alone; {@link errorCodes} adds those that follow from its contract. */
  readonly errors: ReadonlyArray<ErrorCode>
  /** Whether rules of the host application may refuse the operation, with codes of their own. */
  readonly hostRules?: true
  /** How far clients can rely on the operation: how long it is kept after its end is announced. */
  readonly stability: "stable" | "beta" | "experimental"
  /** Whether the reference page offers to try the operation out; yes if absent. */
  readonly tryOut?: false
} & QueryDocs<HttpApiEndpoint.Query<Endpoint>["Type"]> &
  Example<HttpApiEndpoint.Payload<Endpoint>["Type"], "request"> &
  Example<HttpApiEndpoint.Success<Endpoint>["Type"], "response">

type FieldOf<Value> = Value extends ReadonlyArray<unknown> | string ? never : keyof Value

/** What the document says of a schema of the components and of each of its fields. */
export interface SchemaDocs {
  readonly schema: Schema.Top
  readonly description: string
  readonly fields: Readonly<Record<string, string>>
  /** Fields that only responses set; a request may contain them, and they are ignored there. */
  readonly readOnly: ReadonlyArray<string>
}

/** Describes a schema. The compiler demands a text for each field. */
export const schemaDocs = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...[fields, readOnly]: [FieldOf<S["Type"]>] extends [never]
    ? []
    : [fields: { readonly [Field in FieldOf<S["Type"]>]: string }, readOnly?: ReadonlyArray<FieldOf<S["Type"]>>]
): SchemaDocs => ({ schema, description, fields: fields ?? {}, readOnly: (readOnly ?? []) as ReadonlyArray<string> })

/** What the document says of a resource beside its operations. */
export interface ResourceDocs {
  /** The parameters of its paths. */
  readonly parameters: Readonly<Record<string, ParameterDocs>>
  readonly schemas: ReadonlyArray<SchemaDocs>
}
