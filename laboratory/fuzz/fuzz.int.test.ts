import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expectLogs } from "../../packages/core/test/support/expectLogs.ts"
import { fuzz } from "./fuzz.ts"

expectLogs("uses GET /v1/pets/{petId}")

const seed = Math.floor(Math.random() * 2 ** 31)

it.live("given random valid and invalid requests, then each response of the server conforms to the document", () =>
  Effect.gen(function* () {
    const { expectations, findings } = yield* fuzz(seed, 1_000)
    const [finding] = findings
    assert.isUndefined(finding, `npm run lab -- fuzz --seed ${seed} --rounds 1\n${JSON.stringify(finding, null, 2)}`)
    assert.isAbove(expectations.valid ?? 0, 300)
    assert.isAbove(expectations.invalid ?? 0, 200)
  })
)
