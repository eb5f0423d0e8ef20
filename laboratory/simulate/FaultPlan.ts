import type { Dice } from "./Dice.ts"
import type { Timeline } from "./Timeline.ts"

/** How likely each fault is where it can happen, at the most. */
const likelihood = {
  /** A call of the store fails, and changes nothing. */
  refusedCalls: 0.02,
  /** A call of the store takes up to 8 seconds. */
  lateCalls: 0.004,
  /** Whether a transaction was committed is not known to the process that asked for it. */
  lostCommits: 0.08,
  /** A process is killed as it calls the store, before or after the store does what it asks for. It starts again later. */
  kills: 0.0015,
  /** A process stands still for up to 90 seconds, at any time or before it learns what a call of the store has returned. */
  pauses: 0.004,
  /** The clock of a process is set forward or back by up to 40 seconds. */
  clocks: 0.006,
  /** A request does not arrive at the process, or its response not at the client. */
  lostRequests: 0.05,
  /** A request arrives twice. */
  doubledRequests: 0.1,
  /** A receiver of webhooks fails, does not respond, or responds although the sender learns nothing of it. */
  receivers: 0.3,
  /** A handler of events or messages fails, or takes long. */
  handlers: 0.15
} as const

/** What can go wrong in a simulation. */
export type SimulatedFault = keyof typeof likelihood

export const allFaults = Object.keys(likelihood) as ReadonlyArray<SimulatedFault>

/** Decides what goes wrong when. Each seed has faults of its own, since some hide others. */
export class FaultPlan {
  readonly dice: Dice
  private readonly rates: ReadonlyMap<SimulatedFault, number>
  private isOver = false

  constructor(dice: Dice, faults: ReadonlyArray<SimulatedFault>) {
    this.dice = dice
    this.rates = new Map(
      allFaults.map((fault) => {
        const rate = dice.isHit(0.3) ? 0 : likelihood[fault] * dice.fraction()
        return [fault, faults.includes(fault) ? rate : 0]
      })
    )
  }

  /** Whether a fault happens now, at a place where it is this number of times as likely as elsewhere. */
  happens(fault: SimulatedFault, times = 1): boolean {
    return !this.isOver && this.dice.isHit(times * (this.rates.get(fault) ?? 0))
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    this.isOver = true
  }
}

/** What all parts of a simulation share. */
export interface Scene {
  readonly timeline: Timeline
  readonly faults: FaultPlan
  readonly log: (text: string) => void
  /** Stops the simulation. */
  readonly problem: (text: string) => void
}
