import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fuzz } from "../../test/fuzz/fuzz.ts"

const seed = Math.floor(Math.random() * 2 ** 31)

it.live(
  "given requests that the document allows and others, when a server is asked, then it answers as the document says",
  () =>
    Effect.gen(function* () {
      const { expectations, findings } = yield* fuzz(seed, 1_000)
      const [finding] = findings
      assert.isUndefined(
        finding,
        `npm run test:fuzz -- --seed ${seed} --cases 1000\n${JSON.stringify(finding, null, 2)}`
      )
      assert.isAbove(expectations.valid ?? 0, 300)
      assert.isAbove(expectations.invalid ?? 0, 200)
    }),
  60_000
)
