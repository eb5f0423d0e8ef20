import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import type { PetstoreUser } from "@petstore/core"
import type { Database } from "./database.ts"

export interface Customer {
  readonly id: number
  readonly name: string
  readonly isAdmin: boolean
}

/** Who a customer is to the petstore: their orders and idempotency keys belong to this name. */
export const userOf = ({ id }: Customer): PetstoreUser => ({ user: `customer:${id}` })

/** Takes tens of milliseconds on a thread beside, so that other requests go on meanwhile. */
const hash = (password: string, salt: string): Promise<string> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, 32, (error, key) =>
      error === null ? resolve(`${salt}.${key.toString("hex")}`) : reject(error)
    )
  )

/** The most characters of a name, and of a password. */
export const longest = { name: 100, password: 200 }

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

const customerFrom = ({ id, name, is_admin }: Record<string, SQLOutputValue>): Customer => ({
  id: Number(id),
  name: String(name),
  isAdmin: is_admin === 1
})

/** Returns undefined if the name is taken, or none that a customer may have. */
export const register = async ({ transaction }: Database, name: string, password: string, isAdmin = false) => {
  if (name.trim() === "" || name.length > longest.name || password.length > longest.password) return undefined
  const hashed = await hash(password, randomBytes(16).toString("hex"))
  return transaction((db) => {
    const insert =
      "INSERT INTO customers (name, password, is_admin) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING *"
    const row = db.prepare(insert).get(name, hashed, isAdmin ? 1 : 0)
    return row && customerFrom(row)
  })
}

export const signIn = async ({ db }: Database, name: string, password: string): Promise<Customer | undefined> => {
  if (name.length > longest.name || password.length > longest.password) return undefined
  const row = db.prepare("SELECT * FROM customers WHERE name = ?").get(name)
  const stored = String(row?.password ?? "")
  return row && isSame(await hash(password, stored.split(".")[0] ?? ""), stored) ? customerFrom(row) : undefined
}

/** How long a session lasts, in milliseconds. */
export const sessionLength = 7 * 24 * 60 * 60 * 1000

const sign = (text: string, key: string): string => `${text}.${createHmac("sha256", key).update(text).digest("hex")}`

/** The value of the cookie of a session: who, until when, and a signature that only the shop can make. */
export const sessionOf = ({ id }: Customer, key: string, end = Date.now() + sessionLength): string =>
  sign(`${id}.${end}`, key)

/** The customer whose session is in the header `Cookie`. */
export const customerOf = (db: DatabaseSync, cookies: string | undefined, key: string): Customer | undefined => {
  const [, session = "", id = 0, end = 0] = /(?:^|; )session=((\d+)\.(\d+)\.[0-9a-f]+)/.exec(cookies ?? "") ?? []
  if (!isSame(sign(`${id}.${end}`, key), session) || Number(end) < Date.now()) return undefined
  const row = db.prepare("SELECT * FROM customers WHERE id = ?").get(Number(id))
  return row && customerFrom(row)
}
