import {
  type CaseName,
  type ContractCase,
  checkInvariants,
  type EmbeddedFixture,
  embeddedContract,
  petstoreContract,
  type StorageFixture,
  storageContract
} from "@petstore/testing"

/** How the contracts open an adapter. What a fixture says about it is checked: a case fails if it is not so. */
export interface TestedAdapter {
  readonly name: string
  readonly stores: StorageFixture
  readonly petstores: EmbeddedFixture
  /** Releases what the fixtures have opened, such as a server. */
  readonly close?: () => Promise<void>
}

/** All cases of the contracts, as they run on an adapter. */
export const casesOf = ({ petstores, stores }: TestedAdapter): ReadonlyArray<ContractCase> => [
  ...storageContract(stores),
  ...petstoreContract({ open: petstores.open, afterEach: checkInvariants }),
  ...embeddedContract(petstores)
]

/** The result of each case on one adapter, as a contract reports it. */
export interface AdapterReport {
  readonly passed: ReadonlyArray<CaseName>
  readonly failed: ReadonlyArray<CaseName>
  readonly skipped: ReadonlyArray<CaseName & { readonly reason: string }>
}

/** The report of a run in which no case fails; the tests of the adapter run them. */
export const reportWithoutFailures = (cases: ReadonlyArray<ContractCase>): AdapterReport => ({
  passed: cases.filter(({ skip }) => skip === undefined),
  failed: [],
  skipped: cases.flatMap(({ group, name, skip }) => (skip === undefined ? [] : [{ group, name, reason: skip }]))
})
