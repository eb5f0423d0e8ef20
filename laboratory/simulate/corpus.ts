import type { SimulateOptions } from "./simulate.ts"

/** A simulation that once had a problem. */
export interface CorpusEntry extends SimulateOptions {
  /** What it found. */
  readonly found: string
}

/** The simulations that have found faults. A change of the engine or the simulation gives their seeds other traces. */
export const corpus: ReadonlyArray<CorpusEntry> = [
  { seed: 12, found: "a webhook lane routed events that another process had routed while they waited" },
  { seed: 16, found: "the ids of events were older than their changes after a clock was set back" },
  { seed: 630, found: "the record of a key was younger than the order that it is about" },
  { seed: 1109, found: "an endpoint of webhooks had failed before it was created" },
  { seed: 1854, found: "the check of histories took a held pet for one whose units were all reserved" }
]
