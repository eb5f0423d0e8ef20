import * as Context from "effect/Context"

/** What a backup calls with the share of the database that it has copied, from 0 to 1. Default: nothing. */
export const BackupProgress: Context.Reference<(share: number) => void> = Context.Reference<(share: number) => void>(
  "@petstore/core/ports/BackupProgress",
  { defaultValue: () => () => {} }
)

/** Receives what is done, such as "1 of 3 indexes built", and its share from 0 to 1. The next step may take minutes. */
export type OnSchemaStep = (done: string, share: number) => void

/** Reports the migrations of a store that has rows, and the indexes that are built on it. */
export const SchemaProgress: Context.Reference<OnSchemaStep> = Context.Reference<OnSchemaStep>(
  "@petstore/core/ports/SchemaProgress",
  { defaultValue: () => () => {} }
)

/** Is called with the share of a store that was verified, from 0 to 1. */
export const VerificationProgress: Context.Reference<(share: number) => void> = Context.Reference<
  (share: number) => void
>("@petstore/core/ports/VerificationProgress", { defaultValue: () => () => {} })
