import { initial } from "./0001_initial.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  /** The SHA-256 of `sql`, written down since no synchronous one is in every runtime. */
  readonly checksum: string
  /**
   * Programs that know the steps up to this number can work on the schema after this step, so that servers are updated one
   * after the other. A step that they cannot work with has its own number.
   */
  readonly compatibleWith: number
}

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  {
    id: 1,
    name: "initial",
    sql: initial,
    checksum: "ced310c16c098712ae79e8dded09ec686ca67c22d4af3c1c2778d1dd5769f4e5",
    compatibleWith: 1
  }
]
