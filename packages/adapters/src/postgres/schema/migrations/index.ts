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
    checksum: "b53e4aee153e37b83751483e3f452a6b192baa1b51675be4d3af87ae5b1de025",
    compatibleWith: 1
  }
]
