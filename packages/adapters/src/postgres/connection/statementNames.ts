import { hash } from "node:crypto"
import type { StatementNames } from "./PostgresConnection.ts"

const names = new Map<string, string>()

/** Statements have the same name everywhere, so that connections that a pooler shares agree. */
export const nameOf: StatementNames = (text) => {
  let name = names.get(text)
  if (name === undefined) {
    name = `petstore_${hash("sha1", text).slice(0, 24)}`
    names.set(text, name)
  }
  return name
}
