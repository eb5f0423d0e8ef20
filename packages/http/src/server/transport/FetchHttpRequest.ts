import { type MalformedRequest, PayloadTooLarge } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  BodyAlreadyRead,
  endedTooEarly,
  type HttpRequest,
  type ReceivedBody,
  type Scheme,
  unusedTooLarge
} from "../HttpRequest.ts"
import type { HttpResponse, ResponseStream } from "../HttpResponse.ts"
import { used } from "./appObjects.ts"

const nothing = new Uint8Array(0)

const fix = "Call handler.fetch before anything else reads the body, or let the other code read request.clone()."

const concat = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const receive = async (body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> => {
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concat(chunks, length)
    length += value.length
    if (length > limit) {
      await reader.cancel()
      throw new PayloadTooLarge({ limit })
    }
    chunks.push(value)
  }
}

const pairs = (flat: ReadonlyArray<string>): Array<[string, string]> =>
  Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? "", flat[index * 2 + 1] ?? ""])

/** A request of the Fetch standard. */
export class FetchHttpRequest implements HttpRequest {
  readonly address = undefined
  readonly canEncode = false
  readonly method: string
  readonly target: string
  readonly original: Request
  private readonly resolve: (response: Response) => void
  readonly abort: (cause: unknown) => void

  constructor(request: Request, resolve: (response: Response) => void, reject: (cause: unknown) => void) {
    this.method = used(request.method)
    this.target = used(request.url).split("#", 1)[0] ?? ""
    this.original = request
    this.resolve = resolve
    this.abort = reject
  }

  get scheme(): Scheme {
    return used(this.original.url).startsWith("https:") ? "https" : "http"
  }

  header(name: string): string | undefined {
    return used(used(this.original.headers).get(name)) ?? undefined
  }

  get hasBody(): boolean {
    return used(this.original.body) !== null
  }

  receive(limit: number, done: (received: ReceivedBody) => void): () => void {
    const body = used(this.original.body)
    let isWanted = true
    const settle = (received: ReceivedBody): void => {
      if (isWanted) done(received)
    }
    if (body === null) settle(Result.succeed(nothing))
    else if (used(this.original.bodyUsed) || used(body.locked)) settle(Result.fail(new BodyAlreadyRead(fix)))
    else {
      receive(body, limit).then(
        (bytes) => settle(Result.succeed(bytes)),
        (cause) => settle(Result.fail(cause instanceof PayloadTooLarge ? cause : endedTooEarly(cause)))
      )
    }
    return () => {
      isWanted = false
    }
  }

  discard(limit: number): Effect.Effect<void, MalformedRequest> {
    const body = used(this.original.body)
    // The host application reads it, or has read it.
    if (body === null || used(this.original.bodyUsed) || used(body.locked)) return Effect.void
    return Effect.asVoid(
      Effect.tryPromise({
        try: () => receive(body, limit),
        catch: (cause) => (cause instanceof PayloadTooLarge ? unusedTooLarge(limit) : endedTooEarly(cause))
      })
    )
  }

  onDisconnect(cancel: () => void): void {
    try {
      used(used(this.original.signal).addEventListener("abort", cancel, { once: true }))
    } catch (cause) {
      this.abort(cause)
      cancel()
    }
  }

  /** Connections are up to the server around it. */
  closeConnection(): void {}

  respond({ status, headers, body, stream }: HttpResponse): void {
    if (stream !== undefined) {
      this.resolve(new Response(this.bodyOf(stream), { status, headers: pairs(headers) }))
      return
    }
    const encoded = typeof body === "string" ? new TextEncoder().encode(body) : body
    const bytes = encoded.length === 0 ? undefined : encoded
    if (bytes !== undefined) headers.push("Content-Length", String(bytes.length))
    const sent = bytes === undefined || this.method === "HEAD" ? null : bytes
    this.resolve(new Response(sent, { status, headers: pairs(headers) }))
  }

  private bodyOf(stream: ResponseStream): ReadableStream<Uint8Array<ArrayBuffer>> {
    const highWaterMark = 1
    let onDrain = (): void => {}
    let isOpen = true
    const disconnect = (): void => {
      isOpen = false
      stream.cancel()
    }
    this.onDisconnect(disconnect)
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          stream.open({
            write: (bytes) => {
              // A reader may transfer the bytes, which other streams share.
              if (isOpen) controller.enqueue(bytes.slice())
            },
            pending: () => (isOpen ? highWaterMark - (controller.desiredSize ?? highWaterMark) : 0),
            onDrain: (notify) => {
              onDrain = notify
            },
            end: () => {
              if (isOpen) controller.close()
              isOpen = false
            },
            cut: () => {
              if (isOpen) controller.error(new Error("The client has not read for too long."))
              isOpen = false
            }
          })
          if (used(used(this.original.signal).aborted)) disconnect()
        },
        // Called when the client has read everything.
        pull: () => onDrain(),
        cancel: disconnect
      },
      new ByteLengthQueuingStrategy({ highWaterMark })
    )
  }
}
