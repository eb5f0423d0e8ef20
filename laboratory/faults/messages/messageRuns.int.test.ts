import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { MessageFault } from "../../../packages/adapters/test/support/postgres/TcpProxy.ts"
import { testDatabase } from "../../../packages/adapters/test/support/postgres/testDatabase.ts"
import { randomOf } from "../../../packages/adapters/test/support/random.ts"
import type { Outcome } from "../faultOutcomes.ts"
import { allMessageFaults, countMessages, runMessageFaults } from "./messageRuns.ts"

/** One of so many faults is tried here; `npm run lab -- faults --postgres` tries all. */
const every = 1_000

const seed = Number(process.env.PETSTORE_TEST_MESSAGE_SEED ?? 1)

describe("given a petstore on PostgreSQL whose messages fail", () => {
  it.live("then nothing acknowledged is lost, nothing happens twice, all errors have their codes, and it heals", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.promise(async () => {
        const random = randomOf(seed)
        const faults = allMessageFaults(await countMessages(url)).filter(() => random() < 1 / every)
        const outcomes: Array<Outcome<MessageFault>> = []
        await runMessageFaults(faults.values(), url, (outcome) => outcomes.push(outcome))
        assert.strictEqual(outcomes.length, faults.length)
        assert.deepStrictEqual(
          outcomes.filter(({ findings }) => findings.length > 0),
          [],
          `PETSTORE_TEST_MESSAGE_SEED=${seed}`
        )
        assert.isTrue(outcomes.some(({ failed }) => failed !== undefined))
      })
    })
  )
})
