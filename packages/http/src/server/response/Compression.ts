import * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import type { Exchange } from "../Exchange.ts"
import { compress, preferredCoding, worthCompressing } from "./contentCoding.ts"

/** Compressions that may wait for one of the four threads of Node.js. A list beyond is sent as it is, at once. */
const limit = 8

/** Compresses responses that are made for one request, outside of the event loop. */
export class Compression {
  private running = 0

  /** The same response, compressed where that is worth it and the client accepts it. */
  apply(answer: Answer, exchange: Exchange): Effect.Effect<Answer> {
    const { body, headers, status } = answer
    if (!exchange.incoming.canEncode) return Effect.succeed(answer)
    headers.push("Vary", "Accept-Encoding")
    if (body.length < worthCompressing || this.running >= limit) return Effect.succeed(answer)
    const coding = preferredCoding(exchange.acceptEncoding)
    if (coding === undefined) return Effect.succeed(answer)
    return Effect.callback((resume) => {
      this.running++
      compress(coding, body, "fast")
        .then(
          (compressed) => {
            headers.push("Content-Encoding", coding)
            return { status, headers, body: compressed }
          },
          () => answer
        )
        .then((sent) => {
          this.running--
          resume(Effect.succeed(sent))
        })
    })
  }
}
