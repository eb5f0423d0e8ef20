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
    checksum: "d1d591fbdaad0a0a27a012e6816e792997f25ac596d816b52e7f34f89c7a0a4a",
    compatibleWith: 1
  }
]
