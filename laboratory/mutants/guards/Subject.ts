import { corePackages, type Suite, scope } from "../Trial.ts"

/** A part of a source that guards a promise, and what stands there without it. The part occurs once. */
export type Guard = readonly [file: string, part: string, without: string]

/** Guards of one subject, and the tests that should notice when one is missing. */
export interface Subject {
  readonly name: string
  readonly suite: Suite
  readonly guards: ReadonlyArray<Guard>
}

export const allPackages = {
  ...corePackages,
  [`${scope}/adapters`]: "packages/adapters",
  [`${scope}/http`]: "packages/http"
}
