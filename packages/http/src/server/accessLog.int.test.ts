import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { vi } from "vitest"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { createHandler } from "./createHandler.ts"
import type { AccessLogEntry } from "./options.ts"

expectLogs("accessLog has thrown")

const adminKey = "access-log-admin-key-0123456789"

const headers = { authorization: `Bearer ${adminKey}` }

describe("the access log", () => {
  it("given responses of all kinds, then it has one entry for each but health checks, without query and key", async () => {
    const entries: Array<AccessLogEntry> = []
    await using petstore = await createPetstore()
    const handler = createHandler(petstore, { adminKey, accessLog: (entry) => entries.push(entry) })
    const call = (path: string, init: RequestInit = {}) =>
      handler.fetch(new Request(`http://pets.example${path}`, init))
    await call("/v1/pets?limit=5", { headers: { ...headers, "x-request-id": "one" } })
    await call("/v1/pets")
    await call("/v1/pets/9", { method: "DELETE", headers })
    await call("/nowhere")
    await call("/health/live")
    await handler.close()
    assert.deepStrictEqual(
      entries.map(({ duration, requestId, ...entry }) => entry),
      [
        { method: "GET", path: "/v1/pets", status: 200, operation: "listPets", address: undefined, actor: "admin" },
        { method: "GET", path: "/v1/pets", status: 401, operation: "listPets", address: undefined, actor: undefined },
        {
          method: "DELETE",
          path: "/v1/pets/9",
          status: 404,
          operation: "deletePet",
          address: undefined,
          actor: "admin"
        },
        { method: "GET", path: "/nowhere", status: 404, operation: "none", address: undefined, actor: undefined }
      ]
    )
    assert.strictEqual(entries[0]?.requestId, "one")
    for (const { duration } of entries) assert.isAtLeast(duration, 0)
    assert.notInclude(JSON.stringify(entries), adminKey)
  })

  for (const [what, accessLog] of [
    [
      "throws",
      () => {
        throw new Error("The disk is full")
      }
    ],
    ["rejects", () => Promise.reject(new Error("The disk is full"))]
  ] as const) {
    it(`given a function that ${what}, then clients get their responses all the same, and it is logged`, async () => {
      await using petstore = await createPetstore()
      const logs = vi.mocked(console.log).mock.calls
      const before = logs.length
      const handler = createHandler(petstore, { adminKey, accessLog })
      const response = await handler.fetch(new Request("http://pets.example/v1/pets", { headers }))
      assert.strictEqual(response.status, 200)
      await handler.close()
      assert.match(logs.slice(before).join(), /accessLog has thrown/)
    })
  }
})
