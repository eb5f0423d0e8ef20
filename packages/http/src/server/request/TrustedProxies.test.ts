import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { FetchHttpRequest } from "../transport/FetchHttpRequest.ts"
import { NodeHttpRequest } from "../transport/NodeHttpRequest.ts"
import { TrustedProxies } from "./TrustedProxies.ts"

const address = (forwarded: string | undefined, proxies: number) =>
  new TrustedProxies(proxies).addressOf({
    address: "10.0.0.1",
    header: (name) => (name === "x-forwarded-for" ? forwarded : undefined)
  })

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

  it("given an address with a port, then it is the address", () => {
    assert.strictEqual(address("203.0.113.9:4711", 1), "203.0.113.9")
    assert.strictEqual(address("[2001:db8::1]:4711", 1), "2001:db8::1")
    assert.strictEqual(address("[2001:db8::1]", 1), "2001:db8::1")
    assert.strictEqual(address("[<script>]:4711", 1), "10.0.0.1")
  })
})

describe("the scheme that a client has used", () => {
  const scheme = (forwarded: string | undefined, proxies: number) =>
    new TrustedProxies(proxies).schemeOf({
      scheme: "http",
      header: (name) => (name === "x-forwarded-proto" ? forwarded : undefined)
    })

  it("given no trusted proxy, then it is that of the connection, whatever the request claims", () => {
    assert.strictEqual(scheme("https", 0), "http")
    const received = (socket: Socket) => {
      const message = new IncomingMessage(socket)
      return new NodeHttpRequest(message, new ServerResponse(message))
    }
    const fetched = (url: string) =>
      new FetchHttpRequest(
        new Request(url),
        () => {},
        () => {}
      )
    const requests = [
      received(new Socket()),
      received(new TLSSocket(new Socket())),
      fetched("http://pets.example/"),
      fetched("https://pets.example/")
    ]
    const proxies = new TrustedProxies(0)
    assert.deepStrictEqual(
      requests.map((request) => proxies.schemeOf(request)),
      ["http", "https", "http", "https"]
    )
  })

  it("given proxies, then it is the one that the first of them has reported", () => {
    assert.strictEqual(scheme("https", 1), "https")
    assert.strictEqual(scheme("HTTPS", 1), "https")
    assert.strictEqual(scheme("https, http", 1), "http")
    assert.strictEqual(scheme("http, https, http", 2), "https")
    assert.strictEqual(scheme("https", 2), "https")
  })

  it("given a header that is absent or has another value, then it is that of the connection", () => {
    for (const forwarded of [undefined, "", "wss", "https,"]) assert.strictEqual(scheme(forwarded, 1), "http")
  })
})
