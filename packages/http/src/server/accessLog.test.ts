import { assert, describe, it } from "@effect/vitest"
import { clientAddress } from "./accessLog.ts"

const address = (forwarded: string | undefined, trustedProxies: number) =>
  clientAddress({ address: "10.0.0.1", header: () => forwarded }, trustedProxies)

describe("the address of a client", () => {
  it("given no trusted proxy, then it is that of the connection, whatever the request claims", () => {
    assert.strictEqual(address("203.0.113.9", 0), "10.0.0.1")
  })

  it("given one proxy, then it is the one that the proxy has added, not those before it", () => {
    assert.strictEqual(address("203.0.113.9", 1), "203.0.113.9")
    assert.strictEqual(address("198.51.100.7, 203.0.113.9", 1), "203.0.113.9")
  })

  it("given two proxies, then it is the one that the first of them has added", () => {
    assert.strictEqual(address("198.51.100.7, 203.0.113.9, 10.0.0.2", 2), "203.0.113.9")
    assert.strictEqual(address("203.0.113.9", 2), "203.0.113.9")
  })

  it("given a header that is absent or has no address there, then it is that of the connection", () => {
    for (const forwarded of [undefined, "", "unknown", "203.0.113.9, <script>", "a\nb"]) {
      assert.strictEqual(address(forwarded, 1), "10.0.0.1")
    }
  })

  it("given an address of IPv6, then it is that", () => {
    assert.strictEqual(address("2001:db8::1", 1), "2001:db8::1")
  })
})
