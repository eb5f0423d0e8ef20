import * as Context from "effect/Context"

/** What a backup calls with the share of the database that it has copied, from 0 to 1. Default: nothing. */
export const BackupProgress: Context.Reference<(share: number) => void> = Context.Reference<(share: number) => void>(
  "@petstore/core/ports/BackupProgress",
  { defaultValue: () => () => {} }
)
