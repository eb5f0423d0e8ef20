import { Effect } from "effect"
import type { StorageChoice } from "./settings.ts"
export interface ServeInput {
  readonly port: number
  readonly host: string
  readonly storage: StorageChoice
  readonly basePath: string
  readonly rateLimit: number | "off"
}
export const run = (input: ServeInput) => Effect.log(input)
