import * as Schema from "effect/Schema"

/** What an API key may do. `admin` implies all others. */
export const Scope = Schema.Literals([
  "pets:read",
  "pets:write",
  "inventory:read",
  "inventory:write",
  "orders:read",
  "orders:write",
  "orders:fulfil",
  "orders:own",
  "orders:owners",
  "messages:read",
  "messages:write",
  "events:read",
  "events:pets",
  "events:inventory",
  "events:orders",
  "events:messages",
  "events:webhooks",
  "webhooks:read",
  "webhooks:write",
  "stats:read",
  "consumers:read",
  "consumers:write",
  "admin"
]).annotate({ identifier: "Scope" })
export type Scope = typeof Scope.Type

/** The name of a ready set of scopes. */
export const Preset = Schema.Literals(["read", "write", "admin", "storefront", "warehouse", "customer"]).annotate({
  identifier: "Preset"
})
export type Preset = typeof Preset.Type

const read = Scope.literals.filter((scope) => scope.endsWith(":read"))

/** The scopes of each preset. */
export const presets: { readonly [name in Preset]: ReadonlyArray<Scope> } = {
  read,
  write: [...read, "pets:write", "inventory:write", "orders:write", "orders:fulfil", "messages:write"],
  admin: ["admin"],
  storefront: ["pets:read", "inventory:read", "orders:read", "orders:write"],
  warehouse: ["pets:read", "inventory:read", "inventory:write", "orders:read", "orders:fulfil"],
  customer: ["pets:read", "inventory:read", "events:inventory", "orders:own"]
}

/** Whether these scopes include the required one, or `admin`. */
export const allows = (scopes: ReadonlyArray<Scope>, needed: Scope): boolean =>
  scopes.includes(needed) || scopes.includes("admin")
