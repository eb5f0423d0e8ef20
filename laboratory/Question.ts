import type { Lab } from "./Lab.ts"

/** An option that only one question, or a few, have. */
export interface Flag {
  /** Absent for one that is given or not. */
  readonly takes?: "number" | "text"
  readonly means: string
}

export type Flags = Readonly<Record<string, Flag>>

type ValueOf<F extends Flag> = F["takes"] extends "number"
  ? number | undefined
  : F["takes"] extends "text"
    ? string | undefined
    : boolean

/** What was given for each flag. */
export type Values<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

/** Something to know about this engine, and the program that finds it out. */
export interface Question<F extends Flags = Flags> {
  readonly asks: string
  /** `change`: CI for each change. `night`: CI each night. `hand`: whoever changes its subject. */
  readonly when: "change" | "night" | "hand"
  /** How long it takes on two cores. */
  readonly minutes: number
  /** How many rounds it has unless the command line says it; absent if it has no rounds and seeds. */
  readonly rounds?: number
  readonly flags: F
  /** Folders of tools that it needs, or `build`: the packages as they are published. */
  readonly needs?: ReadonlyArray<string>
  readonly load: () => Promise<{ readonly ask: (lab: Lab<Values<F>>) => Promise<unknown> }>
}
