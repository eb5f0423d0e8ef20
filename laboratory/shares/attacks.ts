/** A request, which a connection sends again when its response has ended. */
export interface Repeated {
  readonly request: string
  /** Of a stream, which has no end: the text at which its client closes it and opens it again. */
  readonly until?: string
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`
const post = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const listed = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join()

/** What one customer can send at most that costs much for one request. `latest`: the position of the last event. */
export const attacks = {
  events: () => ({ request: `${get("/v1/events?after=0&limit=1")}\r\n` }),
  streams: (latest) => ({ request: `${get("/v1/events/stream?after=0")}\r\n`, until: `id: ${latest}\n` }),
  batch: () => ({ request: post("/v1/store/orders/batch", `{"orders":[${listed(15_000, () => '{"petId":-1}')}]}`) }),
  fields: () => ({ request: post("/v1/store/orders", `{${listed(20_000, (index) => `"f${index}":1`)}}`) }),
  marks: () => ({ request: post("/v1/pets", `{"categoryId":1,"name":"a${"\u0301".repeat(16_000)}"}`) })
} satisfies Record<string, (latest: number) => Repeated>

export type AttackName = keyof typeof attacks
