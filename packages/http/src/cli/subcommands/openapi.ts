import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type DocumentFormat, documentText } from "../../openapi/documentText.ts"

export interface OpenApiInput {
  readonly format: DocumentFormat
  readonly basePath: string
}

/** Prints the OpenAPI document. */
export const run = ({ basePath, format }: OpenApiInput) =>
  Effect.suspend(() => Console.log(documentText(format, { basePath }).trimEnd()))
