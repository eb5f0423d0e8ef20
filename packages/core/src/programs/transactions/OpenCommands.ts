import * as Context from "effect/Context"
import type { RunCommand } from "../../ports/Storage.ts"

/** What runs the commands of a call that belongs to a transaction: of `petstore.transaction`, or of the host application. */
export const OpenCommands: Context.Reference<RunCommand | undefined> = Context.Reference<RunCommand | undefined>(
  "@petstore/core/transactions/OpenCommands",
  { defaultValue: () => undefined }
)
