import { isIdempotencyKey } from "../../domain/IdempotencyKey.ts"
import type { IdempotencyRecord } from "../../ports/IdempotencyRows.ts"
import { Check, type Row } from "./Check.ts"

/** A record of an idempotency key, without what nothing else tells of. */
export type Answer = Omit<IdempotencyRecord, "fingerprint">

/** Where the rows are that an operation creates. */
const tables: Readonly<Record<string, "accounts" | "categories" | "messages" | "orders" | "pets">> = {
  "accounts.create": "accounts",
  "categories.create": "categories",
  "messages.enqueue": "messages",
  "orders.place": "orders",
  "pets.create": "pets"
}

const read = (answer: string): Row | undefined => {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === "object" && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** 0 is the owner of the store; others are accounts, of the store or of its host. */
const isAccount = (id: number): boolean => Number.isSafeInteger(id) && id >= 0

/** The key as a client sent it, and behind a blank whose it is, if not the account's. */
const isKept = (key: string): boolean => {
  const blank = key.indexOf(" ")
  return blank === -1 ? isIdempotencyKey(key) : isIdempotencyKey(key.slice(0, blank)) && blank < key.length - 1
}

/** The answers that are kept for idempotency keys, held against the creations that they are of. */
export class AnswerChecks {
  readonly kept = new Check(
    "answers_kept",
    "An answer that is kept for an idempotency key is that of one creation, no later than it; a key of an account has one answer, and a creation one key."
  )
  private before = { accountId: Number.NEGATIVE_INFINITY, key: "" }
  private readonly waiting = new Map<number | string, Answer>()

  /** Which row a record tells of, if it can be any. Call it for the next record in ascending account and key. */
  rowOf({
    accountId,
    key,
    operation,
    result
  }: Answer): { readonly table: string; readonly id: number | string } | undefined {
    const { before } = this
    const isNext = accountId > before.accountId || (accountId === before.accountId && key > before.key)
    this.before = { accountId, key }
    const table = tables[operation]
    const id = read(result)?.id
    const isOfTable = table === "messages" ? typeof id === "string" : Number.isSafeInteger(id)
    if (
      isNext &&
      isAccount(accountId) &&
      isKept(key) &&
      table !== undefined &&
      isOfTable &&
      (typeof id === "string" || typeof id === "number")
    ) {
      return { table, id }
    }
    this.kept.expect(false, () => ({ accountId, key, operation }))
    return undefined
  }

  /** Notes an answer. Call it for all of a bucket before {@link created}. */
  add(answer: Answer, id: number | string): void {
    if (this.waiting.has(id)) this.report(answer)
    else this.waiting.set(id, answer)
  }

  /** Holds the creation of a row, as it was answered at a time, against the answer that is kept of it, if one is. */
  created(id: number | string, created: Row, at: string): void {
    const answer = this.waiting.get(id)
    if (answer === undefined) return
    this.waiting.delete(id)
    const { accountId, createdAt, key, operation } = answer
    const found = read(answer.result) ?? {}
    const fields = [...new Set([...Object.keys(found), ...Object.keys(created)])].sort()
    const different = fields.filter((field) => found[field] !== created[field])
    this.kept.expect(different.length === 0 && createdAt <= at, () => ({
      accountId,
      key,
      operation,
      ...Object.fromEntries(
        different.map((field) => [field, { found: found[field] ?? null, expected: created[field] ?? null }])
      ),
      ...(createdAt <= at ? {} : { createdAt: { found: createdAt, expected: at } })
    }))
  }

  /** Reports the answers of a bucket that no creation was held against. */
  finish(): void {
    for (const answer of this.waiting.values()) this.report(answer)
    this.waiting.clear()
  }

  private report({ accountId, key, operation }: Answer): void {
    this.kept.expect(false, () => ({ accountId, key, operation }))
  }
}
