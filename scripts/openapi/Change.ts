import type { OpenApi } from "@petstore/http/openapi"

/** One difference between two documents that clients can notice. */
export interface Change {
  /** Whether it can break a client that follows the old document. */
  readonly breaking: boolean
  /** For example `POST /pets > body > name`. */
  readonly where: string
  readonly what: string
}

export type Operation = NonNullable<OpenApi["paths"][string]["get"]>
export type Schema = OpenApi["components"]["schemas"][string]
export type Parameter = OpenApi["components"]["parameters"][string]
export type Header = OpenApi["components"]["headers"][string]
export type Response = OpenApi["components"]["responses"][string]
export type Content = NonNullable<Response["content"]>

export const breaking = (where: string, what: string): Change => ({ breaking: true, where, what })
export const compatible = (where: string, what: string): Change => ({ breaking: false, where, what })
