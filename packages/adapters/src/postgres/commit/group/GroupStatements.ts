import { type MessageRecord, type Movement, readStoredKey } from "@petstore/core/domain"
import type { CategoryRecord, IdempotencyRecord, OrderRecord, PetRecord } from "@petstore/core/ports"
import { lockedCategories } from "../../../sql/CategoryRows.ts"
import { idempotencyClaim, idempotencyFormat, lockedRecords, purgeRecords } from "../../../sql/IdempotencyRows.ts"
import { messageFormat } from "../../../sql/MessageRows.ts"
import { movementFormat } from "../../../sql/MovementRows.ts"
import { changedOrderFormat, lockedOrders, orderFormat } from "../../../sql/OrderRows.ts"
import { lockedPets, petFormat, petStockFormat } from "../../../sql/PetRows.ts"
import type { LockedRows } from "../../../sql/RowFormat.ts"
import type { Parameter, Result } from "../../connection/PostgresConnection.ts"
import { binaryArray } from "../../statements/binaryArray.ts"
import { claimOf } from "../../statements/claimOf.ts"
import { inSchema, translated } from "../../statements/dialect.ts"
import type { Purge } from "./HeldRows.ts"
import type { Key } from "./HeldTable.ts"
import { insertion, replacement, update, type Write } from "./writes.ts"

/** The account and the key of an idempotency record. */
const accountAndKey = (stored: Key): readonly [accountId: number, key: string] => {
  const { accountId, key } = readStoredKey(String(stored))
  return [accountId, key]
}

/** A statement with its values, and how its result is read. */
export interface Read<A> {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
  readonly decode: (result: Result) => A
}

type Keys = ReadonlyArray<Key>

/** Locks rows by their ids, in ascending order. Rows that another transaction has locked are left out if `waits` is false. */
export type Lock<A> = (ids: Keys, waits: boolean) => Read<ReadonlyArray<A>>

/** The statements that groups run in a schema: each handles any number of rows. */
export class GroupStatements {
  readonly lockPets: Lock<PetRecord>
  readonly lockOrders: Lock<OrderRecord>
  readonly shareCategories: Lock<CategoryRecord>
  readonly insertPets: Write<PetRecord>
  readonly updatePets: Write<PetRecord>
  readonly updatePetStocks: Write<PetRecord>
  readonly insertOrders: Write<OrderRecord>
  readonly updateOrders: Write<OrderRecord>
  readonly insertMovements: Write<Movement>
  readonly insertMessages: Write<MessageRecord>
  readonly saveKeys: Write<IdempotencyRecord>
  private readonly schema: string
  private readonly petsOf: (waits: boolean) => string
  private readonly record: { readonly one: string; readonly many: string }
  private readonly purgeText: string

  constructor(schema: string) {
    this.schema = schema
    this.lockPets = lock(schema, lockedPets, "FOR NO KEY UPDATE")
    this.lockOrders = lock(schema, lockedOrders, "FOR NO KEY UPDATE")
    this.shareCategories = lock(schema, lockedCategories, "FOR SHARE")
    this.insertPets = insertion(schema, petFormat)
    this.updatePets = update(schema, petFormat)
    this.updatePetStocks = update(schema, petStockFormat)
    this.insertOrders = insertion(schema, orderFormat)
    this.updateOrders = update(schema, changedOrderFormat)
    this.insertMovements = insertion(schema, movementFormat)
    this.insertMessages = insertion(schema, messageFormat)
    this.saveKeys = replacement(schema, idempotencyFormat)
    const [waiting = "", skipping = ""] = ["", skipLocked].map((end) =>
      inSchema(
        schema,
        `${lockedPets.select} AND id = ANY(ARRAY(SELECT unnest($1::bigint[])
          UNION SELECT pet_id FROM petstore_orders WHERE id = ANY($2::bigint[]))) ORDER BY id FOR NO KEY UPDATE${end}`
      )
    )
    this.petsOf = (waits) => (waits ? waiting : skipping)
    this.record = {
      one: inSchema(schema, `${lockedRecords.select} WHERE account_id = $1 AND key = $2${share}`),
      many: inSchema(
        schema,
        // Each is looked up by itself: as a join, a plan that was made while the table was empty may read all of it.
        `SELECT record.* FROM unnest($1::bigint[], $2::text[]) AS wanted (account_id, key) CROSS JOIN LATERAL
          (${lockedRecords.select} WHERE account_id = wanted.account_id AND key = wanted.key${share}) AS record`
      )
    }
    this.purgeText = translated(schema, purgeRecords)
  }

  /** Locks pets by their ids, and those of orders that are locked by a statement before this one. */
  lockPetsAndThoseOf(ids: Keys, orderIds: Keys, waits: boolean): Read<ReadonlyArray<PetRecord>> {
    const values = [binaryArray("bigint", ids), binaryArray("bigint", orderIds)]
    return { text: this.petsOf(waits), values, decode: recordsOf(lockedPets) }
  }

  /** Reserves idempotency keys, without waiting. Returns those that no other transaction has. */
  claimKeys(keys: Keys): Read<Keys> {
    const names = keys.map((key) => claimOf(this.schema, idempotencyClaim, accountAndKey(key)))
    const [name = ""] = names
    const decode = ({ rows }: Result) => {
      const claimed = new Set(rows.flatMap((row) => (row.locked === true ? [row.name] : [])))
      return keys.filter((_, index) => claimed.has(names[index]))
    }
    return names.length === 1
      ? { text: claimOne, values: [name], decode }
      : { text: claimMany, values: [binaryArray("text", names)], decode }
  }

  /** Finds the records of keys that are reserved by a statement before this one. */
  findRecords(keys: Keys): Read<ReadonlyArray<IdempotencyRecord>> {
    const decode = recordsOf(lockedRecords)
    const pairs = keys.map(accountAndKey)
    const [pair] = pairs
    if (pairs.length === 1 && pair !== undefined) return { text: this.record.one, values: [...pair], decode }
    const accounts = binaryArray(
      "bigint",
      pairs.map(([account]) => account)
    )
    const names = binaryArray(
      "text",
      pairs.map(([, name]) => name)
    )
    return { text: this.record.many, values: [accounts, names], decode }
  }

  /** Takes ids for new rows from the sequence of a table. */
  newIds(table: "orders" | "pets", count: number): Read<ReadonlyArray<number>> {
    const sequence = inSchema(this.schema, `petstore_${table}_id_seq`)
    return {
      text: `SELECT nextval('${sequence.replaceAll("'", "''")}') AS id FROM generate_series(1, $1::int)`,
      values: [count],
      decode: ({ rows }) => rows.map(({ id }) => Number(id))
    }
  }

  purge({ before, limit }: Purge): Pick<Read<void>, "text" | "values"> {
    return { text: this.purgeText, values: [before, limit] }
  }
}

const skipLocked = " SKIP LOCKED"

// A lock makes the commit wait for the standbys, also of a transaction that changes nothing: the server may have the record
// alone, if it went down or was interrupted while it waited for them.
const share = " FOR SHARE"

const claimOne = `SELECT $1::text AS name, pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1::text, 0)) AS locked`
const claimMany = `SELECT name, pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(name, 0)) AS locked
  FROM unnest($1::text[]) AS name`

// The columns have the types of the schema, so a row has the types of its statement.
const recordsOf =
  <Row, A>({ decode }: LockedRows<Row, A>) =>
  ({ rows }: Result): ReadonlyArray<A> =>
    rows.map((row) => decode(row as Row))

const lock = <Row, A>(schema: string, rows: LockedRows<Row, A>, strength: string): Lock<A> => {
  const one = inSchema(schema, `${rows.select} AND id = $1 ${strength}`)
  const many = inSchema(schema, `${rows.select} AND id = ANY($1::bigint[]) ORDER BY id ${strength}`)
  const decode = recordsOf(rows)
  return (ids, waits) => {
    const end = waits ? "" : skipLocked
    const [id] = ids
    return ids.length === 1 && id !== undefined
      ? { text: `${one}${end}`, values: [id], decode }
      : { text: `${many}${end}`, values: [binaryArray("bigint", ids)], decode }
  }
}
