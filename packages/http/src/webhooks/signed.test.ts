import { assert, describe, it } from "@effect/vitest"
import { signWebhook } from "@petstore/core/verify-webhook"
import { signed } from "./signed.ts"

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, `key of ${bytes}`).toString("base64")}`

describe("given secrets of endpoints", () => {
  it("when a request is signed, then its headers are those of signWebhook, with new keys and kept ones", async () => {
    const secrets = [24, 25, 26, 32, 64].map(secretOf)
    for (const body of ["{}", '{"name":"Zoë 🐕"}', ""]) {
      const [id, timestamp] = ["evt_1", 1_764_374_400]
      assert.deepStrictEqual(
        { ...signed(secrets, id, timestamp, body) },
        { ...(await signWebhook(secrets, { id, timestamp, body })) }
      )
    }
  })
})
