import { inputOf } from "@petstore/core/domain"
import type { Call } from "./calls.ts"

/** The kinds of resources: the field that holds the id of one, and its name in messages. */
const kinds: ReadonlyArray<readonly [kind: string, field: string, name: string]> = [
  ["pets", "petId", "pet"],
  ["categories", "categoryId", "category"],
  ["orders", "orderId", "order"],
  ["accounts", "accountId", "account"],
  ["apiKeys", "keyId", "api key"],
  ["webhooks", "webhookId", "webhook"],
  ["deliveries", "deliveryId", "delivery"],
  ["messages", "messageId", "message"]
]
const kindOfField = new Map(kinds.map(([kind, field]) => [field, kind]))
const kindOfName = new Map(kinds.map(([kind, , name]) => [name, kind]))
const named = new RegExp(`\\b(${[...kindOfName.keys()].join("|")}) (\\d+|msg_\\w+)`, "gi")

/** An id that no resource has. */
const missing = (kind: string, place: number) => (kind === "messages" ? `msg_${place}` : 1_000_000 + place)

/** Ids of events, secrets and cursors, which differ from way to way: only whether they are there is compared. */
const opaque = new Set(["events", "eventId", "key", "next", "secret"])

type Change = (id: unknown, kind: string) => unknown

/** Changes the ids in a value. Those in fields `id` are of the kind of the resource, or of that which the event is about. */
const withIds = (value: unknown, kind: string, change: Change, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((item) => withIds(item, kind, change, name))
  if (typeof value === "object" && value !== null) {
    const [about = kind] = String(Reflect.get(value, "subject") ?? kind).split("/")
    // The actor is absent where a call has no API key, and a secret may come before or after other fields.
    const fields = Object.entries(value)
      .filter(([field]) => field !== "actor")
      .toSorted(([one], [other]) => Number(opaque.has(one)) - Number(opaque.has(other)))
    const missed = kindOfName.get(String(Reflect.get(value, "kind")).toLowerCase())
    return Object.fromEntries(
      fields.map(([field, held]) => [field, withIds(held, missed ?? (field === "data" ? about : kind), change, field)])
    )
  }
  if (value === undefined) return undefined
  // The version of an API key follows from its secret.
  const isOpaque = opaque.has(name) || (name === "version" && kind === "apiKeys")
  const of = name === "id" ? kind : isOpaque ? "key" : kindOfField.get(name)
  if (of !== undefined) return change(value, of)
  if (typeof value !== "string") return value
  const id = (text: string) => (text.startsWith("msg_") ? text : Number(text))
  if (name === "subject") return value.replace(/^(\w+)\/(\w+)$/, (_, of, text) => `${of}/${change(id(text), of)}`)
  if (name !== "message") return value
  return value.replace(named, (_, of, text) => `${of} ${change(id(text), kindOfName.get(of.toLowerCase()) ?? "")}`)
}

const kindOf = ({ input: [first], method }: Call): string => {
  const [group = ""] = method.split(".")
  return group === "records" ? String(first) : method === "webhooks.deliveries" ? "deliveries" : group
}

/**
 * The ids that a petstore has given, by kind and in their order: 1, 2, 3... A rejected call leaves a gap between ids on some stores and
 * not on others, which is promised by none.
 */
export class Ids {
  private readonly given = new Map<string, Array<unknown>>()
  private readonly cursors = new Map<string, string>()

  /** The arguments of a call on this petstore. */
  meant(call: Call): ReadonlyArray<unknown> {
    const { input, method, options = {} } = call
    const { kind, path = {} } = inputOf(method)
    const names = [...(kind === undefined ? [] : ["kind"]), ...Object.keys(path)]
    const real: Change = (place, of) =>
      opaque.has(of) ? place : (this.of(of)[Number(place) - 1] ?? missing(of, Number(place)))
    return [
      ...input.map((value, place) => {
        const meant = withIds(value, kindOf(call), real, names[place])
        const cursor = this.cursors.get(method)
        return Reflect.has(Object(meant), "cursor") ? { ...Object(meant), cursor } : meant
      }),
      options
    ]
  }

  /** A result or an error as in every way. The ids in a result are known from then on. */
  seen(call: Call, value: unknown, isDone: boolean): unknown {
    const next: unknown = Reflect.get(Object(value), "next")
    if (typeof next === "string") this.cursors.set(call.method, next)
    else this.cursors.delete(call.method)
    return withIds(value, kindOf(call), (id, kind) => {
      if (opaque.has(kind)) return "opaque"
      const ids = this.of(kind)
      if (isDone && !ids.includes(id)) ids.push(id)
      return ids.indexOf(id) + 1 || id
    })
  }

  hasNext(method: Call["method"]): boolean {
    return this.cursors.has(method)
  }

  /** Returns a function that forgets the ids which were given since. */
  mark(): () => void {
    const lengths = new Map([...this.given].map(([kind, ids]) => [kind, ids.length]))
    return () => {
      for (const [kind, ids] of this.given) ids.splice(lengths.get(kind) ?? 0)
    }
  }

  private of(kind: string): Array<unknown> {
    const ids = this.given.get(kind) ?? []
    this.given.set(kind, ids)
    return ids
  }
}
