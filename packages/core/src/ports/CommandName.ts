import type { MethodName } from "../domain/methodInputs.ts"

/** The commands that run a transaction, by the name of their method. Each passes its name to {@link Storage.transact}. */
export type CommandName =
  | MethodName
  | "apiKeys.hasAdmin"
  | "apiKeys.touch"
  | `consumers.${"open" | "claim" | "extend" | "record" | "handle" | "release" | "remove" | "replay" | "discard"}`
  | `imports.${"begin" | "store" | "finish"}`
  | `messages.${"claim" | "extend" | "finish" | "purge" | "release"}`
  | "deliveries.claim"
  | "deliveries.create"
  | "deliveries.extend"
  | "deliveries.purge"
  | "deliveries.record"
  | "deliveries.release"
  | "orders.expire"
  | "webhooks.encrypt"
  | "events.trim"
  | "transaction"
