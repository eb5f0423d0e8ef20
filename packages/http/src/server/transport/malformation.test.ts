import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { isHostHeader, malformation } from "./malformation.ts"

describe("a Host header", () => {
  for (const value of [
    "",
    "x",
    "shop.example",
    "shop.example:8080",
    "x:",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:80",
    "a%20b"
  ]) {
    it(`given ${JSON.stringify(value)}, then it is accepted`, () => assert.isTrue(isHostHeader(value)))
  }

  for (const value of [
    "a b/../",
    "a/b",
    "a b",
    "user@shop.example",
    "x:80:90",
    "x:http",
    "[::1",
    "::1",
    "a?b",
    "a#b",
    "a%2",
    "a\\b",
    '"a"',
    "<a>",
    "é"
  ]) {
    it(`given ${JSON.stringify(value)}, then it is rejected`, () => assert.isFalse(isHostHeader(value)))
  }
})

describe("a request with two Host headers", () => {
  it("then what is wrong is that there are two", () => {
    const request = new IncomingMessage(new Socket())
    request.httpVersionMajor = 1
    request.httpVersionMinor = 1
    request.headers.host = "x, y"
    assert.strictEqual(malformation(request), "A request has one Host header only.")
  })
})
