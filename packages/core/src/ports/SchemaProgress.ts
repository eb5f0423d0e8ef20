import * as Context from "effect/Context"

/** Receives what is done, such as "1 of 3 indexes built", and its share from 0 to 1. The next step may take minutes. */
export type OnSchemaStep = (done: string, share: number) => void

/** Reports the migrations of a store that has rows, and the indexes that are built on it. */
export const SchemaProgress: Context.Reference<OnSchemaStep> = Context.Reference<OnSchemaStep>(
  "@petstore/core/ports/SchemaProgress",
  { defaultValue: () => () => {} }
)
