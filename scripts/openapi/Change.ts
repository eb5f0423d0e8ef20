import type { OpenApi } from "@petstore/http/openapi"

/** One difference between two documents, as clients see it. */
export interface Change {
  /** Whether a client that kept to the old document can break. */
  readonly breaking: boolean
  /** Such as `POST /pets > body > name`. */
  readonly where: string
  readonly what: string
}

export type Operation = NonNullable<OpenApi["paths"][string]["get"]>
export type Schema = OpenApi["components"]["schemas"][string]
export type Parameter = OpenApi["components"]["parameters"][string]
export type Header = OpenApi["components"]["headers"][string]
export type Response = OpenApi["components"]["responses"][string]
export type Content = NonNullable<Response["content"]>

export const breaks = (where: string, what: string): Change => ({ breaking: true, where, what })
export const adds = (where: string, what: string): Change => ({ breaking: false, where, what })
