import type { SimulateOptions } from "../../src/simulation/simulate.ts"

/** A simulation that once had a problem. */
export interface CorpusEntry extends SimulateOptions {
  /** What it found. */
  readonly found: string
}

/** The simulations that have found faults. A change of the engine or the simulation gives their seeds other traces. */
export const corpus: ReadonlyArray<CorpusEntry> = []
