import { limits } from "../limits.ts"

const bare = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKey}}$`)
const quoted = new RegExp(`^"((?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,${limits.idempotencyKey}})"$`)

/**
 * The key in an `Idempotency-Key` header: a quoted string (draft-ietf-httpapi-idempotency-key-header) or, as most
 * clients send it, the bare text; 1 to 255 visible ASCII characters. Undefined for anything else.
 */
export const parseIdempotencyKey = (text: string): string | undefined => {
  const inner = quoted.exec(text)?.[1]
  if (inner !== undefined) return inner.replace(/\\(["\\])/g, "$1")
  return bare.test(text) && !text.startsWith('"') ? text : undefined
}

/** Whether a value can be an idempotency key: 1 to 255 visible ASCII characters. */
export const isIdempotencyKey = (key: unknown): key is string => typeof key === "string" && bare.test(key)

/** An idempotency key of an account. */
export interface StoredKey {
  readonly accountId: number
  readonly key: string
}

/** The key of what is stored for an idempotency key of an account. Sorts by account, then by key. */
export const storedKeyOf = ({ accountId, key }: StoredKey): string => `${String(accountId).padStart(16, "0")} ${key}`

/** What {@link storedKeyOf} was made of. */
export const readStoredKey = (stored: string): StoredKey => {
  const [account = ""] = stored.split(" ", 1)
  return { accountId: Number(account), key: stored.slice(account.length + 1) }
}
