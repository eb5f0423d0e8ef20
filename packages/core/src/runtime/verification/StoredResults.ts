import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isIdempotencyKey } from "../../domain/idempotency/IdempotencyKey.ts"
import { type RepeatableCommand, resultSchemas } from "../../programs/idempotency/resultSchemas.ts"
import type { StoredResult } from "./Facts.ts"
import type { Row } from "./Finding.ts"
import type { Check } from "./Report.ts"

/** The tables of the rows that commands create. */
const creations = {
  "accounts.create": "accounts",
  "categories.create": "categories",
  "messages.enqueue": "messages",
  "orders.place": "orders",
  "pets.create": "pets"
} as const satisfies { readonly [Name in RepeatableCommand]?: string }

const tables: Readonly<Record<string, (typeof creations)[keyof typeof creations]>> = creations

/** Whether something has the form of what a command returns that changes or deletes a row. */
const changes: ReadonlyMap<string, (result: unknown) => boolean> = new Map(
  Object.entries(resultSchemas).flatMap(([operation, schema]) => {
    const decode = Schema.decodeUnknownResult<Schema.ConstraintDecoder<unknown>>(schema)
    return operation in creations ? [] : [[operation, (result: unknown) => Result.isSuccess(decode(result))]]
  })
)

/** A stored result; undefined if it is not a JSON object or list as it was written. */
const parsed = ({ result }: StoredResult): object | undefined => {
  try {
    const value: unknown = JSON.parse(result)
    return typeof value === "object" && value !== null && JSON.stringify(value) === result ? value : undefined
  } catch {
    return undefined
  }
}

/** The fields of a stored result; undefined if it is not a JSON object as it was written. */
export const fieldsOf = (record: StoredResult): Row | undefined => {
  const value = parsed(record)
  return value === undefined ? undefined : { ...value }
}

/** 0 is the owner of the store. Others are accounts, of the store or of the host application. */
const isAccount = (id: number): boolean => Number.isSafeInteger(id) && id >= 0

/** The key as a client sent it; behind a blank, the user of the account that it belongs to. */
const isStoredKey = (key: string): boolean => {
  const blank = key.indexOf(" ")
  return blank === -1 ? isIdempotencyKey(key) : isIdempotencyKey(key.slice(0, blank)) && blank < key.length - 1
}

/** The row whose creation a stored result can belong to; undefined if there can be none. */
export const createdRow = (
  record: StoredResult
): { readonly table: string; readonly id: number | string } | undefined => {
  const table = tables[record.operation]
  const id = fieldsOf(record)?.id
  if (!isAccount(record.accountId) || !isStoredKey(record.key) || table === undefined) return undefined
  if (table === "messages") return typeof id === "string" ? { table, id } : undefined
  return typeof id === "number" && Number.isSafeInteger(id) ? { table, id } : undefined
}

/** Whether a stored result can be that of a change or deletion. Nothing else in the store records what one returned. */
export const isOfChange = (record: StoredResult): boolean =>
  isAccount(record.accountId) && isStoredKey(record.key) && changes.get(record.operation)?.(parsed(record)) === true

/** Compares the stored results of idempotency keys with the creations that they belong to. */
export class StoredResults {
  private readonly check: Check<"storedResult">
  private readonly waiting = new Map<number | string, StoredResult>()

  /** What creations before this time returned is no longer known. */
  knownFrom: string | undefined

  constructor(check: Check<"storedResult">) {
    this.check = check
  }

  /** Adds a result of a bucket. Call it for all of them before {@link created}. */
  add(record: StoredResult, id: number | string): void {
    if (this.waiting.has(id)) this.check({ record, creation: undefined })
    else this.waiting.set(id, record)
  }

  /** Compares the creation of a row with the result that is stored for it, if one is: only then `result` is called. */
  created(id: number | string, result: () => Row, at: string): void {
    const record = this.waiting.get(id)
    if (record === undefined) return
    this.waiting.delete(id)
    this.check({ record, creation: { result: result(), at } })
  }

  /** Checks the results of the bucket that belong to no creation, and starts again. */
  finish(): void {
    for (const record of this.waiting.values()) {
      if (this.knownFrom === undefined || record.createdAt >= this.knownFrom)
        this.check({ record, creation: undefined })
    }
    this.waiting.clear()
  }
}
