import * as Effect from "effect/Effect"

/** One requirement of a contract, as a test for any runner. */
export interface ContractCase {
  readonly group: string
  /** The requirement, as a sentence. */
  readonly name: string
  /** Fails or dies if the requirement is not met. */
  readonly run: Effect.Effect<void, unknown>
  /** Why it cannot run on this fixture; absent if it can. */
  readonly skip?: string
}

type Body = (context?: { readonly signal?: AbortSignal }) => Promise<void>

/** What {@link registerContract} needs of a test runner; vitest, `@effect/vitest` and `node:test` have it. */
export interface ContractRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly it: {
    (name: string, body: Body): unknown
    readonly skip: (name: string, body: Body) => unknown
  }
}

/**
 * The cases of some groups of a contract. Throws a TypeError for a group that the contract does not have.
 *
 * @example
 * ```ts
 * import { createPetstore } from "@petstore/core"
 * import { petstoreContract, inGroups } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * const cases = inGroups(petstoreContract({ open }), ["orders", "races"])
 * cases.every(({ group }) => group === "orders" || group === "races") // => true
 * ```
 */
export const inGroups = (
  cases: ReadonlyArray<ContractCase>,
  groups: ReadonlyArray<string>
): ReadonlyArray<ContractCase> => {
  const known = new Set(cases.map(({ group }) => group))
  const unknown = groups.filter((group) => !known.has(group))
  if (unknown.length > 0) {
    throw new TypeError(`The contract has no group ${unknown.join(", ")}. It has ${[...known].join(", ")}`)
  }
  return cases.filter(({ group }) => groups.includes(group))
}

/** Rejects an empty list, which would always pass, and most likely comes from a misspelled filter. */
export const requireCases = (cases: ReadonlyArray<ContractCase>): void => {
  if (cases.length === 0) throw new TypeError("There are no cases to run. See how group and name are spelled")
}

/**
 * Registers each case as a test of vitest, `@effect/vitest` or `node:test`, by group. The name of a skipped case ends with
 * the reason. A case that times out is interrupted, and releases what it has opened. Throws a TypeError if there are no
 * cases. {@link runContract} needs no test runner.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test"
 * import { createPetstore } from "@petstore/core"
 * import { petstoreContract, registerContract } from "@petstore/testing"
 * import { Effect } from "effect"
 *
 * const open = Effect.acquireRelease(
 *   Effect.promise(() => createPetstore()),
 *   (petstore) => Effect.promise(() => petstore.close())
 * )
 *
 * registerContract(petstoreContract({ open }), { describe, it })
 * ```
 */
export const registerContract = (cases: ReadonlyArray<ContractCase>, { describe, it }: ContractRunner): void => {
  requireCases(cases)
  for (const group of new Set(cases.map((one) => one.group))) {
    describe(group, () => {
      for (const { name, run, skip } of cases.filter((one) => one.group === group)) {
        const body: Body = (context) => Effect.runPromise(run, { signal: context?.signal })
        if (skip === undefined) it(name, body)
        else it.skip(`${name} (skipped: ${skip})`, body)
      }
    })
  }
}
