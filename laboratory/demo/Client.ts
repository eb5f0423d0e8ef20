import { setTimeout as sleep } from "node:timers/promises"
import { until } from "./limit.ts"

export interface DemoResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

const retryMillis = 25

/** A client of the REST API that retries until it gets a response, as a client with idempotency keys should. */
export class Client {
  /** Requests that were sent again because no response arrived. */
  retries = 0
  private readonly url: string
  private readonly key: string

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  async send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<DemoResponse> {
    for (;;) {
      const response = await this.trySend(method, path, body, headers)
      if (response !== undefined && response.status !== 503) return response
      until.throwIfAborted()
      this.retries++
      await sleep(retryMillis)
    }
  }

  /** Every item of a list, page by page. */
  async *all(path: string): AsyncGenerator<unknown, void> {
    let next: string | undefined = path
    while (next !== undefined) {
      const { body, headers, status }: DemoResponse = await this.send("GET", next)
      if (status !== 200 || !Array.isArray(body)) throw new Error(`GET ${next} returned ${status}`)
      yield* body
      const target: string | undefined = /<([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1]
      next = target === undefined ? undefined : new URL(target, this.url).href
    }
  }

  private async trySend(
    method: string,
    path: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>
  ): Promise<DemoResponse | undefined> {
    try {
      const response = await fetch(path.startsWith("/") ? this.url + path : path, {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: until
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
    } catch (error) {
      until.throwIfAborted()
      // The connection broke, or none is accepted: the server was killed.
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined
      throw error
    }
  }
}
