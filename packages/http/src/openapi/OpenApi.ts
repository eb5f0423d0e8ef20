/** Points to a part of the components. */
export interface Reference {
  readonly $ref: `#/components/${string}`
}

/** An object or a reference to one. */
export type OrReference<A> = A | Reference

export interface SchemaObject {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object"
  readonly format?: string
  readonly description?: string
  readonly nullable?: true
  readonly readOnly?: true
  readonly deprecated?: true
  readonly enum?: ReadonlyArray<unknown>
  readonly default?: unknown
  readonly example?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: true
  readonly exclusiveMaximum?: true
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: OrReference<SchemaObject>
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, OrReference<SchemaObject>>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | OrReference<SchemaObject>
  readonly allOf?: ReadonlyArray<OrReference<SchemaObject>>
  readonly anyOf?: ReadonlyArray<OrReference<SchemaObject>>
  readonly oneOf?: ReadonlyArray<OrReference<SchemaObject>>
  readonly not?: OrReference<SchemaObject>
  /** The field whose value determines the alternative, and the reference to each by that value. */
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> }
  /** The known values; others may be added. */
  readonly "x-extensible-enum"?: ReadonlyArray<string>
  /** What a text contains, and its schema: the keywords of JSON Schema, which 3.0.3 does not have. */
  readonly "x-contentMediaType"?: string
  /** The schema of the keys of an object: `propertyNames` of OpenAPI 3.1. */
  readonly "x-propertyNames"?: OrReference<SchemaObject>
  readonly "x-contentSchema"?: Reference
}

export interface ExampleObject {
  readonly summary?: string
  readonly value: unknown
}

interface MediaType {
  readonly schema: OrReference<SchemaObject>
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, OrReference<ExampleObject>>>
  /** The schema of each part of a stream, as `itemSchema` of 3.2. */
  readonly "x-itemSchema"?: SchemaObject
}

/** Bodies by media type. */
type Content = Readonly<Record<string, MediaType>>

export interface ParameterObject {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly description: string
  readonly required?: true
  readonly style?: "form"
  readonly explode?: true
  readonly schema: OrReference<SchemaObject>
  readonly example?: unknown
}

export interface HeaderObject {
  readonly description: string
  /** Absent if the header is not always sent. */
  readonly required?: true
  readonly schema: SchemaObject
  readonly example?: unknown
}

export interface LinkObject {
  readonly operationId: string
  readonly description: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, OrReference<HeaderObject>>>
  readonly content?: Content
  readonly links?: Readonly<Record<string, LinkObject>>
  /** The values of `code` that come with this status here. */
  readonly "x-error-codes"?: ReadonlyArray<string>
  /** Whether rules of the host application may add codes of their own. */
  readonly "x-host-codes"?: true
}

/** Responses by status. */
export type Responses = Readonly<Record<string, OrReference<ResponseObject>>>

export interface RequestBody {
  readonly required: true
  readonly content: Content
}

/** Names of security schemes; their scopes stand in `x-required-scopes`, since 3.0 allows none here for API keys. */
type SecurityRequirement = Readonly<Record<string, ReadonlyArray<never>>>

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly security: ReadonlyArray<SecurityRequirement>
  readonly parameters?: ReadonlyArray<OrReference<ParameterObject>>
  readonly requestBody?: RequestBody
  readonly responses: Responses
  /** Requests that the server sends, by a name and the expression of their URL. */
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, PathItem>>>>
  /** All of them are required. */
  readonly "x-required-scopes"?: ReadonlyArray<string>
  /** Stands for the required ones, for a caller's own orders and their events. */
  readonly "x-scope-for-own"?: string
  /** Any of these scopes suffices, for events of its types. */
  readonly "x-scopes-for-types"?: ReadonlyArray<string>
  /** Required too if this field of the body is true. */
  readonly "x-scope-of-body"?: { readonly field: string; readonly scope: string; readonly sufficesAlone?: true }
  readonly "x-stability"?: "beta" | "experimental"
  readonly "x-stability-level"?: "alpha" | "beta"
  readonly "x-scalar-stability"?: "deprecated" | "experimental"
  readonly "x-badges"?: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly "x-deprecated-sunset"?: string
  readonly "x-sunset"?: string
  readonly "x-hideTryItPanel"?: true
  readonly "x-explorer-enabled"?: false
}

interface Server {
  readonly url: string
  readonly description?: string
}

/** The methods of operations. */
export const methods = ["get", "post", "put", "patch", "delete"] as const
export type Method = (typeof methods)[number]

/** The operations of a path by method; `servers` if they are not those of the document. */
export type PathItem = { readonly [method in Method]?: OperationObject } & {
  readonly servers?: ReadonlyArray<Server>
}

export interface SecurityScheme {
  readonly type: "http"
  readonly scheme: "bearer"
  readonly description: string
}

export interface Components {
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  readonly schemas: Readonly<Record<string, SchemaObject>>
  readonly parameters: Readonly<Record<string, ParameterObject>>
  readonly headers: Readonly<Record<string, HeaderObject>>
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly examples: Readonly<Record<string, ExampleObject>>
}

export interface Info {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly contact: { readonly name: string }
  readonly license: { readonly name: string; readonly url: string }
}

export interface Tag {
  readonly name: string
  readonly description: string
  /** Whether the interface specification does not have this tag. */
  readonly "x-added"?: true
}

/** A description of an API in the format OpenAPI 3.0.3. */
export interface OpenApi {
  readonly openapi: "3.0.3"
  readonly info: Info
  readonly servers: ReadonlyArray<Server>
  readonly tags: ReadonlyArray<Tag>
  readonly paths: Readonly<Record<string, PathItem>>
  /** Requests that the server sends to endpoints of others, by the type of what they carry. */
  readonly "x-webhooks": Readonly<Record<string, PathItem>>
  readonly components: Components
}
