import type { Petstore, PetstoreTransaction } from "@petstore/core"
import { assertEqual } from "../check.ts"
import { rejectsWith } from "./rejections.ts"

/** A call of another caller, that the body of a transaction can wait for: it is not made by that body. */
export const elsewhere = <A>(call: () => Promise<A>): (() => Promise<A>) => {
  let make = () => {}
  const made = new Promise<void>((resolve) => {
    make = resolve
  }).then(call)
  return () => {
    make()
    return made
  }
}

/** Two transactions that both have run their bodies before either ends. */
export const atOnce = async (
  petstore: Petstore,
  one: (tx: PetstoreTransaction) => Promise<unknown>,
  other: (tx: PetstoreTransaction) => Promise<unknown>
): Promise<ReadonlyArray<PromiseSettledResult<unknown>>> => {
  let arrived = 0
  let open = () => {}
  const both = new Promise<void>((resolve) => {
    open = resolve
  })
  const met = async (body: Promise<unknown>) => {
    await body
    if (++arrived === 2) open()
    await both
  }
  return Promise.allSettled([petstore.transaction((tx) => met(one(tx))), petstore.transaction((tx) => met(other(tx)))])
}

/** Checks that one of two transactions has committed, and that the other one may run again. */
export const assertOneIsBusy = async (ends: ReadonlyArray<PromiseSettledResult<unknown>>): Promise<void> => {
  const refused = ends.filter((end) => end.status === "rejected")
  assertEqual(refused.length, 1, "the transactions that fail")
  for (const { reason } of refused) await rejectsWith("storage_busy", Promise.reject(reason))
}
