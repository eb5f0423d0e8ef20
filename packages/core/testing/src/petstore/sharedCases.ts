import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { checkInvariants } from "./checkInvariants.ts"
import { idempotencyCases } from "./idempotencyCases.ts"
import { inTurn } from "./inTurn.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { raceCases } from "./raceCases.ts"

const groups = [raceCases, idempotencyCases]

/** What a petstore promises about concurrent calls and repeated ones, with every other call made on another petstore of its database. */
export const sharedCases = ({ open, openAnother }: EmbeddedFixture): ReadonlyArray<ContractCase> => {
  const openInTurn = Effect.gen(function* () {
    const petstore = yield* open
    const another = openAnother === undefined ? petstore : yield* openAnother(petstore)
    return inTurn<Petstore>([petstore, another])
  })
  return groups
    .flatMap((cases) => cases({ open: openInTurn, afterEach: checkInvariants }))
    .map(({ group, ...rest }) => ({
      ...rest,
      group: `${group}, on two petstores in turn`,
      ...(openAnother === undefined ? { skip: "the fixture opens one petstore on a database" } : {})
    }))
}
