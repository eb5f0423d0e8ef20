import type * as Schema from "effect/Schema"
import type { DeclaredOperation, TypeOf } from "./operation.ts"

// Texts and examples for the OpenAPI document. They stand beside the operations, in functions that only the
// document calls, so that bundlers leave them out of the client.

export interface ParameterDocs {
  readonly description: string
  /** What the server accepts, if the type alone does not define it. */
  readonly pattern?: string
  readonly example?: unknown
  /** Whether the server requires a parameter that its schema does not. */
  readonly required?: boolean
}

/** The parameters that every list has. */
type PageParameter = "limit" | "cursor"

type QueryDocs<Query> = [Query] extends [never]
  ? { readonly query?: never }
  : [Exclude<keyof Query, PageParameter>] extends [never]
    ? { readonly query?: never }
    : { readonly query: { readonly [Name in Exclude<keyof Query, PageParameter>]-?: ParameterDocs } }

type Example<Value, Name extends string> = [Extract<Value, object | string>] extends [never]
  ? { readonly [N in Name]?: never }
  : { readonly [N in Name]: Value }

/** The documentation of an operation. What its contract implies, such as scopes and common errors, is derived. */
export type OperationDocs<Declared extends DeclaredOperation> = {
  /** In the imperative, without a period. */
  readonly summary: string
  readonly description: string
  /** What a success means. */
  readonly success: string
  /** How long the operation is kept after its end is announced; see the upgrade policy. */
  readonly stability: "stable" | "beta" | "experimental"
  /** The field of the body with the URL that the server sends webhooks to from then on. */
  readonly sendsTo?: string
  /** Examples of the parameters of the path, if they are not those of the resource. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Another request, and the response to it: what later examples need more than once. */
  readonly another?: { readonly request: unknown; readonly response: unknown }
  /** Whether the reference page offers to try the operation out. Default: true. */
  readonly tryOut?: false
} & QueryDocs<TypeOf<Declared["query"]>> &
  Example<TypeOf<Declared["body"]>, "request"> &
  Example<TypeOf<Declared["success"]>, "response">

type FieldOf<Value> = Value extends ReadonlyArray<unknown> | string ? never : keyof Value

/** The documentation of a schema and of each of its fields. */
export interface SchemaDocs {
  readonly schema: Schema.Top
  readonly description: string
  readonly fields: Readonly<Record<string, string>>
  /** Fields that only responses set; in a request they are ignored. */
  readonly readOnly: ReadonlyArray<string>
}

/** Documents a schema: the compiler demands a text for each field. */
export const describeSchema = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...[fields, readOnly]: [FieldOf<S["Type"]>] extends [never]
    ? []
    : [fields: { readonly [Field in FieldOf<S["Type"]>]: string }, readOnly?: ReadonlyArray<FieldOf<S["Type"]>>]
): SchemaDocs => ({ schema, description, fields: fields ?? {}, readOnly: (readOnly ?? []) as ReadonlyArray<string> })

/** Documents a schema of several alternatives, whose fields are documented with each of them. */
export const describeUnion = (schema: Schema.Top, description: string): SchemaDocs => ({
  schema,
  description,
  fields: {},
  readOnly: []
})

/** The documentation that the operations of a resource share. */
export interface ResourceDocs {
  /** The parameters of its paths. */
  readonly parameters: Readonly<Record<string, ParameterDocs>>
  readonly schemas: ReadonlyArray<SchemaDocs>
}
