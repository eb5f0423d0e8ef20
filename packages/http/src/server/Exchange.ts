import type { Incoming, Standing } from "./Incoming.ts"

/** How far a request has come. From `admitted` on, its transaction runs: what comes of that is what it is answered. */
export type Phase = "checked" | "receiving" | "running" | "admitted"

/** One request on its way to an answer. */
export class Exchange {
  readonly incoming: Incoming
  readonly requestId: string
  /** The headers of the answer so far: names and values in turn. */
  readonly headers: Array<string>
  /** The path of the request, without its query. */
  path = ""
  /** Without its question mark. */
  query = ""
  /** The values of the parameters in the path. */
  values: ReadonlyArray<string> = []
  phase: Phase = "checked"
  standing: Standing = "anyone"
  /** Whether its connection closes after the response, since what follows on it cannot be trusted. */
  endsConnection = false
  /** Whether the client has gone. */
  abandoned = false

  constructor(incoming: Incoming, requestId: string) {
    this.incoming = incoming
    this.requestId = requestId
    this.headers = ["X-Request-Id", requestId]
  }

  /** `Accept-Encoding`, if a response may be encoded here. */
  get acceptEncoding(): string | undefined {
    return this.incoming.canEncode ? this.incoming.header("accept-encoding") : undefined
  }

  header(name: string): string | undefined {
    return this.incoming.header(name)
  }
}
