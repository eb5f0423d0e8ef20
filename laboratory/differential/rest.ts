import { inputOf } from "@petstore/core/domain"
import { operations } from "../../packages/http/src/api/operations.ts"
import type { Caller } from "./ways.ts"

/** An error as it is sent over HTTP. */
export class Rejected extends Error {
  readonly toJSON: () => unknown

  constructor(body: unknown) {
    super("Rejected")
    this.toJSON = () => body
  }
}

/** The cursor of the next page, by the header Link. */
const cursorIn = (link: string | null): string | undefined => {
  const [, url = ""] = /<([^>]*)>; rel="next"/.exec(link ?? "") ?? []
  return new URL(url, "http://pets.example").searchParams.get("cursor") ?? undefined
}

const letters: Readonly<Record<string, string>> = { version: "v", pet: "p", stock: "s", "pet+stock": "p" }

/** Makes calls by requests, and reads what any program would: the status, the body, and the headers of versions and pages. */
export const callerOver =
  (baseUrl: string, key: string, send: (request: Request) => Promise<Response>): Caller =>
  async (method, input) => {
    if (method === "orders.complete") {
      return callerOver(baseUrl, key, send)("orders.update", [input[0], { complete: true }, input[1]])
    }
    const { body, field, kind, path, query } = inputOf(method)
    const operation = operations.find(
      (one) => one.useCase === method && (one.kind === undefined || one.kind === input[0])
    )
    if (operation === undefined) throw new TypeError(`There is no operation for ${method}`)
    const rest = [...input]
    if (kind !== undefined) rest.shift()
    const id = path === undefined ? "" : encodeURIComponent(String(rest.shift()))
    const content = body === undefined ? undefined : rest.shift()
    const filter = query === undefined ? {} : Object(rest.shift())
    const { idempotencyKey, ifVersion, reserveFor } = Object(rest[0])
    const url = new URL(baseUrl + operation.path.replace(/:\w+/, id))
    for (const [name, value] of Object.entries({ ...filter, reserveFor })) {
      if (value !== undefined) for (const text of [value].flat()) url.searchParams.append(name, String(text))
    }
    const headers = new Headers({ authorization: `Bearer ${key}`, "content-type": "application/json" })
    if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey)
    if (ifVersion !== undefined) {
      const letter = letters[operation.entityTag ?? ""]
      const tags = [ifVersion].flat().map((version) => `"${letter}${version}"`)
      headers.set("if-match", tags.join(", "))
    }
    const sent =
      content === undefined ? {} : { body: JSON.stringify(field === undefined ? content : { [field]: content }) }
    const response = await send(new Request(url, { method: operation.method, headers, ...sent }))
    const text = await response.text()
    const result: unknown = text === "" ? undefined : JSON.parse(text)
    if (!response.ok) throw new Rejected(result)
    if (query !== undefined) {
      const next = cursorIn(response.headers.get("link"))
      const total = /^(\d+)(\+?)$/.exec(response.headers.get("total-count") ?? "")
      return {
        items: result,
        ...(total === null ? {} : { total: { count: Number(total[1]), isExact: total[2] === "" } }),
        ...(next === undefined ? {} : { next })
      }
    }
    const [version, stock] = (response.headers.get("etag") ?? "").match(/\d+/g) ?? []
    if (version === undefined) return result
    const { inventory, ...fields } = Object(result)
    return {
      ...fields,
      version: Number(version),
      ...(stock === undefined ? {} : { inventory: { ...inventory, version: Number(stock) } })
    }
  }
