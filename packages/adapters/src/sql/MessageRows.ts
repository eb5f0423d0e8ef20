import type { Message, MessageStatus } from "@petstore/core/domain"
import type { MessageRows } from "@petstore/core/ports"
import type { RowFormat } from "./RowFormat.ts"
import type { Sql } from "./Sql.ts"

interface MessageRow {
  readonly id: string
  readonly message: string
  readonly status: MessageStatus
  readonly created_at: string
}

const select = "SELECT id, message, status, created_at FROM petstore_messages"
const selectOne = `${select} WHERE id = ?`
const selectPage = `${select} WHERE id > ? ORDER BY id LIMIT ?`
const insert = "INSERT INTO petstore_messages (id, message, status, created_at) VALUES (?, ?, ?, ?)"

const toMessage = (row: MessageRow): Message => ({
  id: row.id,
  message: row.message,
  status: row.status,
  createdAt: row.created_at
})

export const messageFormat: RowFormat<Message> = {
  table: "petstore_messages",
  key: { id: "text" },
  columns: { message: "text", status: "text", created_at: "text" },
  values: ({ id, message, status, createdAt }) => [id, message, status, createdAt]
}

export const messageRows = (sql: Sql): MessageRows => {
  const insertMessage = sql.run(insert)
  return {
    find: sql.first(selectOne, toMessage),
    list: sql.all(selectPage, toMessage),
    insert: ({ id, message, status, createdAt }) => insertMessage(id, message, status, createdAt)
  }
}
