import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { MalformedRequest } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ReceivedBody } from "../HttpRequest.ts"
import { NodeHttpRequest } from "./NodeHttpRequest.ts"

/** A request of 20 bytes, of which some have come. */
const partOf = (text: string) => {
  const message = new IncomingMessage(new Socket())
  Object.assign(message.headers, { "content-length": "20" })
  message.on("error", () => {})
  message.push(text)
  const request = new NodeHttpRequest(message, new ServerResponse(message))
  return { message, request }
}

const received = (request: NodeHttpRequest): Promise<ReceivedBody> =>
  new Promise((resolve) => void request.receive(100, resolve))

const isTooEarly = (error: unknown): void => {
  assert.instanceOf(error, MalformedRequest)
  assert.strictEqual(error.message, "The body ended too early.")
}

describe("given a request whose body has come in part", () => {
  it("when its connection is lost, then there is no body", async () => {
    const { message, request } = partOf('{"name":"Tom"}')
    const body = received(request)
    message.destroy()
    const result = await body
    isTooEarly(Result.isFailure(result) ? result.failure : undefined)
  })

  it("when its stream ends all the same, as HTTP/2 ends one that was canceled, then there is no body", async () => {
    const { message, request } = partOf('{"name":"Tom"}')
    const body = received(request)
    Object.assign(message, { complete: true, aborted: true })
    message.push(null)
    const result = await body
    isTooEarly(Result.isFailure(result) ? result.failure : undefined)
  })

  it("when the rest comes, then it is the body", async () => {
    const { message, request } = partOf('{"name":"Tom"}')
    const body = received(request)
    message.push("      ")
    message.complete = true
    message.push(null)
    assert.strictEqual(new TextDecoder().decode(Result.getOrThrow(await body)), '{"name":"Tom"}      ')
  })

  it("when its connection was lost before it is dropped, then that fails", async () => {
    const { message, request } = partOf("x")
    message.destroy()
    isTooEarly(await Effect.runPromise(Effect.flip(request.discard(100))))
  })
})
