import { createHash } from "node:crypto"
import { initial } from "./0001_initial.ts"
import { hostCalls } from "./0002_host_calls.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
  /**
   * Programs that know the steps up to this number can work on the schema after this step, so that servers are updated one
   * after the other. A step that they cannot work with has its own number.
   */
  readonly compatibleWith: number
}

const migration = (id: number, name: string, sql: string, compatibleWith = id): Migration => ({
  id,
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
  compatibleWith
})

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  migration(1, "initial", initial),
  migration(2, "host calls", hostCalls, 1)
]
