import type { Command, Model, Outcome, PetstoreState } from "@petstore/testing"
import * as Equal from "effect/Equal"

/** The stock of a pet, as clients see it. */
export type InventoryRow = PetstoreState["inventory"][number]

/** A call about one pet, as its client saw it. */
export interface ObservedCall {
  readonly petId: number
  /** The command, or the reading of its stock. */
  readonly command: Command | "read"
  /** The stock that the client has read, if it wants to change no other. */
  readonly onlyFrom?: InventoryRow
  /** When it began and ended, as places among all beginnings and ends. The end is infinite if its outcome is not known. */
  readonly begin: number
  end: number
  /** Absent if it is not known. */
  result?: Outcome | InventoryRow
}

/**
 * Whether calls about one pet have results as if each had happened at one moment between its beginning and its end, or, if its outcome is
 * not known, at a moment after its beginning or never. Returns the call at which that fails; undefined if it holds.
 */
export const notLinearizable = (calls: ReadonlyArray<ObservedCall>, start: Model): ObservedCall | undefined => {
  const sorted = [...calls].sort((a, b) => a.begin - b.begin)
  const seen = new Set<string>()
  let furthest = 0
  let failed: ObservedCall | undefined

  const search = (left: ReadonlyArray<ObservedCall>, model: Model): boolean => {
    const certain = left.filter(({ end }) => Number.isFinite(end))
    if (certain.length === 0) return true
    // Pets as the model keeps them: one that is held and one whose units are all reserved look the same to a client.
    const state = JSON.stringify([left.map(({ begin }) => begin), [...model.pets], model.state.orders])
    if (seen.has(state)) return false
    seen.add(state)
    const firstEnd = Math.min(...certain.map(({ end }) => end))
    for (const call of left) {
      if (call.begin > firstEnd) break
      const after = model.copy()
      if (
        happens(after, call) &&
        search(
          left.filter((one) => one !== call),
          after
        )
      )
        return true
    }
    if (sorted.length - left.length >= furthest) {
      furthest = sorted.length - left.length
      failed = certain.find(({ end }) => end === firstEnd)
    }
    return false
  }

  return search(sorted, start) ? undefined : failed
}

/** Whether a call could have had its result in this state, which it changes. */
const happens = (model: Model, { begin, command, onlyFrom, petId, result }: ObservedCall): boolean => {
  const stock = inventoryOf(model, petId)
  if (command === "read") return Equal.equals(result, stock)
  if (onlyFrom !== undefined) {
    // The stock may have changed since, and be the same again.
    if (result !== undefined && "code" in result && result.code === "precondition_failed") return true
    if (!Equal.equals(onlyFrom, stock)) return false
  }
  // The id of an order that nobody has seen is none that another order may have.
  if (result === undefined) return model.run(command, { code: "ok", id: -begin }).code === "ok"
  return Equal.equals(model.run(command, result as Outcome), result)
}

const inventoryOf = (model: Model, petId: number): InventoryRow | undefined =>
  model.state.inventory.find((row) => row.petId === petId)
