import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "../authentication/authentication.ts"
import { StreamShares } from "./StreamShares.ts"

const user = (id: string, accountId?: number): Caller =>
  accountId === undefined
    ? { id, accountId: 0, user: id, scopes: ["events:inventory"] }
    : { id, accountId, scopes: ["events:inventory"] }

/** Opens streams until one is refused. Returns how many are open then, and why. */
const fill = (shares: StreamShares, callerOf: (index: number) => Caller) => {
  for (let count = 0; ; count++) {
    const caller = callerOf(count)
    const refusal = shares.refuse(caller)
    if (refusal !== undefined) return [count, refusal.details.of, refusal.details.limit]
    shares.hold(caller, 1)
  }
}

describe("the streams of a server", () => {
  const limits = { ofServer: 1_024, ofCaller: 1_024 }

  it("given one caller who opens all they can, then a quarter is left for others, of which another may take most", () => {
    const shares = new StreamShares(limits)
    assert.deepStrictEqual(
      fill(shares, () => user("visitor")),
      [768, "share", 768]
    )
    assert.deepStrictEqual(
      fill(shares, () => user("ada")),
      [192, "share", 192]
    )
    assert.isUndefined(shares.refuse(user("bob")))
  })

  it("given many callers of one account, then together they leave as much", () => {
    const shares = new StreamShares(limits)
    assert.deepStrictEqual(
      fill(shares, (index) => user(`visitor:${index}`, 12)),
      [768, "share", 768]
    )
    assert.isUndefined(shares.refuse(user("ada")))
    // The id of a key may be the number of an account.
    assert.isUndefined(shares.refuse({ id: 12, accountId: 1, scopes: [] }))
  })

  it("given a stream that ends, then it counts no more", () => {
    const shares = new StreamShares({ ofServer: 8, ofCaller: 2 })
    const ada = user("ada")
    assert.deepStrictEqual(
      fill(shares, () => ada),
      [2, "key", 2]
    )
    shares.hold(ada, -1)
    assert.isUndefined(shares.refuse(ada))
  })

  for (const ofServer of [1, 2, 3]) {
    it(`given a server of ${ofServer} streams, then the last one is for whoever asks first`, () => {
      const shares = new StreamShares({ ofServer, ofCaller: 100 })
      assert.deepStrictEqual(
        fill(shares, (index) => user(`user:${index}`)),
        [ofServer, "server", ofServer]
      )
    })
  }
})
