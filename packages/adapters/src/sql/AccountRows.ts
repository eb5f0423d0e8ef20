import type { Account } from "@petstore/core/domain"
import { type AccountRows, Duplicate } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { claimed } from "./claimed.ts"
import type { Sql } from "./Sql.ts"

interface AccountRow {
  readonly id: number
  readonly name: string
  readonly created_at: string
}

const select = "SELECT id, name, created_at FROM petstore_accounts"
const selectOne = `${select} WHERE id = ?`
const selectByName = `${select} WHERE name_key = ?`
const selectPage = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const insert = "INSERT INTO petstore_accounts (name, name_key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"

export const toAccount = (row: AccountRow): Account => ({ id: row.id, name: row.name, createdAt: row.created_at })

export const accountRows = (sql: Sql): AccountRows => {
  // A row that is not there yet cannot be locked.
  const claimName = claimed(sql, "account name")
  const insertAccount = sql.tryInsert(insert, { statement: selectByName, places: [1] })
  return {
    find: sql.first(selectOne, toAccount),
    findByName: sql.first(selectByName, toAccount),
    list: sql.all(selectPage, toAccount),
    insert: ({ name, nameKey, createdAt }) =>
      Effect.flatMap(Effect.andThen(claimName(nameKey), insertAccount(name, nameKey, createdAt)), (id) =>
        id === undefined ? Effect.fail(new Duplicate({ value: nameKey })) : Effect.succeed(id)
      )
  }
}
