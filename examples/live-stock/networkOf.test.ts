import { assert, describe, it } from "@effect/vitest"
import { networkOf } from "./networkOf.ts"

describe("the network of a visitor", () => {
  it("given IPv4, also as IPv6 writes it, then it is the address", () => {
    for (const ip of ["192.0.2.7", "::ffff:192.0.2.7"]) assert.strictEqual(networkOf(ip), "192.0.2.7")
  })

  it("given IPv6, then it is the first 64 bits, however the address is written", () => {
    for (const ip of [
      "2001:db8:0:7::1",
      "2001:DB8:0:7:ffff:1:2:3",
      "2001:db8::7:0:0:0:1",
      "2001:0db8:0000:0007::%eth0"
    ])
      assert.strictEqual(networkOf(ip), "2001:db8:0:7::/64")
    assert.strictEqual(networkOf("2001:db8:0:8::1"), "2001:db8:0:8::/64")
    assert.strictEqual(networkOf("::1"), "0:0:0:0::/64")
  })
})
