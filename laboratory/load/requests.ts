import { randomUUID } from "node:crypto"

/** The requests of a round. */
export type Mix = "pet" | "list" | "order" | "orderOnce" | "orderReserved" | "batch" | "mixed"

/** What clients do for one round. */
export interface Load {
  readonly mix: Mix
  readonly port: number
  /** Connections use one after the other. */
  readonly keys: ReadonlyArray<string>
  /** The ids of pets are 1 to this. */
  readonly pets: number
  readonly connections: number
  readonly seconds: number
  /** Requests a second, whether or not responses come; undefined to send the next one with each response. */
  readonly rate?: number | undefined
}

/** Makes the requests of one connection. */
export interface RequestSource {
  readonly next: () => string
  /** Takes the head of a response. */
  readonly received?: (head: string) => void
}

const batchLength = 20

/** The same numbers in every run. */
const random = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Requests for many pets rather than one, of which every fourth is sold. */
export const requestSource = ({ keys, mix, pets }: Load, connection: number): RequestSource => {
  const next = random(connection + 1)
  const anyPet = (): number => 1 + Math.floor(next() * pets)
  const anyAvailablePet = (): number => {
    const id = anyPet()
    return id % 4 === 0 ? id - 1 : id
  }
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys[connection % keys.length]}\r\n`
  const get = (path: string): string => `GET ${path} ${head}\r\n`
  const post = (path: string, body: object, more = ""): string => {
    const text = JSON.stringify(body)
    return `POST ${path} ${head}Content-Type: application/json\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`
  }
  const pet = (): string => get(`/v1/store/pets/${anyPet()}`)
  const newOrder = () => ({ petId: anyAvailablePet(), quantity: 1 })
  const order = (): string => post("/v1/store/orders", newOrder())
  const run = randomUUID()
  let once = 0
  const firstPage = "/v1/pets?status=available&limit=20"
  // Connections begin at different pages.
  let page = firstPage
  const sources: Readonly<Record<Mix, RequestSource>> = {
    pet: { next: pet },
    order: { next: order },
    orderOnce: { next: () => post("/v1/store/orders", newOrder(), `Idempotency-Key: ${run}-${++once}\r\n`) },
    orderReserved: { next: () => post("/v1/store/orders?reserveFor=900000", newOrder()) },
    batch: { next: () => post("/v1/store/orders/batch", { orders: Array.from({ length: batchLength }, newOrder) }) },
    mixed: { next: () => (next() < 0.1 ? order() : pet()) },
    list: {
      next: () => get(page),
      received: (response) => {
        page = /\r\nlink: <([^>]*)>; rel="next"/i.exec(response)?.[1] ?? firstPage
      }
    }
  }
  return sources[mix]
}
