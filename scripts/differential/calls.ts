import { type PetstoreApi, PetstoreError } from "@petstore/core"
import type { Command } from "@petstore/testing"

/** A call of a method, and the request that it is over HTTP. */
export interface Call {
  readonly group: "categories" | "events" | "inventory" | "orders" | "pets"
  readonly name: string
  readonly input: ReadonlyArray<unknown>
  readonly request: readonly [method: string, path: string, body?: unknown]
}

/** Makes a call on a petstore, in whichever way. */
export type Caller = (call: Call) => Promise<unknown>

export const page = (group: Call["group"], path: string, query: Readonly<Record<string, number>>): Call => ({
  group,
  name: "list",
  input: [query],
  request: [
    "GET",
    `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`
  ]
})

/** The call that a command of the reference model is. */
export const callOf = (command: Command): Call => {
  const { type: _, ...fields } = command
  switch (command.type) {
    case "createCategory":
      return { group: "categories", name: "create", input: [fields], request: ["POST", "/categories", fields] }
    case "deleteCategory": {
      const { categoryId: id } = command
      return { group: "categories", name: "delete", input: [id], request: ["DELETE", `/categories/${id}`] }
    }
    case "createPet": {
      const pet = { name: "Rex", ...fields }
      return { group: "pets", name: "create", input: [pet], request: ["POST", "/pets", pet] }
    }
    case "updatePet": {
      const { petId: id, type: _, ...update } = command
      return { group: "pets", name: "update", input: [id, update], request: ["PATCH", `/pets/${id}`, update] }
    }
    case "deletePet": {
      const { petId: id } = command
      return { group: "pets", name: "delete", input: [id], request: ["DELETE", `/pets/${id}`] }
    }
    case "setStock": {
      const { petId: id, quantity } = command
      const request = ["PATCH", `/inventory/${id}`, { quantity }] as const
      return { group: "inventory", name: "set", input: [id, quantity], request }
    }
    case "adjustStock": {
      const { petId: id, type: _, ...adjustment } = command
      const request = ["POST", `/inventory/${id}/adjustments`, adjustment] as const
      return { group: "inventory", name: "adjust", input: [id, adjustment], request }
    }
    case "placeOrder":
      return { group: "orders", name: "place", input: [fields], request: ["POST", "/store/orders", fields] }
    case "placeOrders": {
      const { orders } = command
      return {
        group: "orders",
        name: "placeAll",
        input: [orders],
        request: ["POST", "/store/orders/batch", { orders }]
      }
    }
    case "updateOrder": {
      const { orderId: id, type: _, ...update } = command
      return { group: "orders", name: "update", input: [id, update], request: ["PATCH", `/store/orders/${id}`, update] }
    }
    case "cancelOrder": {
      const { orderId: id } = command
      return { group: "orders", name: "cancel", input: [id], request: ["DELETE", `/store/orders/${id}`] }
    }
  }
}

/** Calls a method by its name. */
export const invoke = (groups: object, { group, input, name }: Call): unknown => {
  const methods: unknown = Reflect.get(groups, group)
  const method: unknown = Reflect.get(Object(methods), name)
  if (typeof method !== "function") throw new TypeError(`There is no ${group}.${name}`)
  return Reflect.apply(method, methods, input)
}

export const callerOn =
  (petstore: PetstoreApi): Caller =>
  async (call) =>
    invoke(petstore, call)

/** An error as it is sent over HTTP. */
class Rejected extends Error {
  readonly body: unknown

  constructor(body: unknown) {
    super("Rejected")
    this.body = body
  }
}

/** The cursor of the next page, by the header Link. */
const cursorIn = (link: string | null): string | undefined => {
  const [, url = ""] = /<([^>]*)>; rel="next"/.exec(link ?? "") ?? []
  return new URL(url, "http://pets.example").searchParams.get("cursor") ?? undefined
}

/** Makes calls by requests, and reads what any program would: the status, the body, the version in the ETag and the next page in Link. */
export const callerOver =
  (send: (method: string, path: string, body: unknown) => Promise<Response>): Caller =>
  async ({ name, request: [method, path, body] }) => {
    const response = await send(method, path, body)
    const text = await response.text()
    const content: unknown = text === "" ? undefined : JSON.parse(text)
    if (!response.ok) throw new Rejected(content)
    if (name === "list") {
      const next = cursorIn(response.headers.get("link"))
      return { items: content, ...(next === undefined ? {} : { next }) }
    }
    const version = /(\d+)"$/.exec(response.headers.get("etag") ?? "")?.[1]
    return version === undefined ? content : { ...Object(content), version: Number(version) }
  }

/** Over HTTP an id is in the path. */
const withPlaces = (text: string): string => text.replaceAll("/path/", "/")

/** What came of a call: its result, or its error as it is sent over HTTP. */
export interface Outcome {
  readonly isDone: boolean
  readonly json: string
}

export const outcomeOf = async (made: Promise<unknown>): Promise<Outcome> => {
  try {
    return { isDone: true, json: JSON.stringify((await made) ?? null) }
  } catch (error) {
    if (error instanceof Rejected) return { isDone: false, json: withPlaces(JSON.stringify(error.body)) }
    if (error instanceof PetstoreError) return { isDone: false, json: withPlaces(JSON.stringify(error)) }
    throw error
  }
}
