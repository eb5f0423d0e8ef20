import { functionOption, type OptionSchemas, optionOf, optionsCheck } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { PetstoreFixture } from "./PetstoreFixture.ts"

export const openingOption = optionOf("an effect that opens a petstore", Effect.isEffect)

/** Returns a check of the fixture of a contract: a name that is mistyped would skip cases. */
export const petstoreFixtureCheck = (contract: string) =>
  optionsCheck(
    contract,
    "{ open }",
    {
      open: openingOption,
      as: functionOption("a function that returns a petstore as a user"),
      afterEach: functionOption("a function that checks a petstore")
    } satisfies OptionSchemas<PetstoreFixture>,
    ["open"]
  )
