import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "@petstore/core/domain"
import { toTable } from "./keys.ts"

const key: ApiKey = {
  id: 1_234,
  accountId: 1,
  name: "the till in the shop at the corner",
  scopes: ["pets:read", "inventory:read", "orders:read", "messages:read", "pets:write", "orders:write"],
  createdAt: "2026-11-22T05:30:12.345Z",
  expiresAt: "2027-11-22T05:30:00.000Z",
  lastUsedAt: "2026-11-22T05:31:00.000Z"
}

describe("the table of API keys", () => {
  it("given a terminal of 80 columns, then no line is longer, and nothing is lost", () => {
    const lines = toTable([key], new Map([[1, "Petstore and Sons"]]), 80).split("\n")
    for (const line of lines) assert.isAtMost(line.length, 80)
    const words = lines.flatMap((line) => line.split(/ +/))
    for (const word of ["1234", "Petstore", "corner", "messages:read,", "2027-11-22", "05:31Z"]) {
      assert.include(words, word)
    }
  })

  it("given no terminal, then each key is one line", () => {
    const [, line] = toTable([key], new Map(), Number.POSITIVE_INFINITY).split("\n")
    assert.strictEqual(
      line,
      "1234  1        the till in the shop at the corner  pets:read, inventory:read, orders:read, messages:read, pets:write, orders:write  2026-11-22 05:30Z  2027-11-22 05:30Z  2026-11-22 05:31Z"
    )
  })
})
