import * as Exit from "effect/Exit"
import type { Message } from "../domain/Message.ts"
import type { MessageRows } from "../ports/MessageRows.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable } from "./MemoryTable.ts"
import { byText } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

/** The messages by their id, which sorts by time. */
export const messageTable = () =>
  new MemoryTable({ compare: byText, copy: (message: Message): Message => ({ ...message }), indexes: {} })

/** The messages of a store. */
export const memoryMessages = (connection: MemoryConnection): MessageRows => {
  const { messages } = connection.database
  return {
    find: (id) => connection.read(() => messages.find(id)),
    list: (after, limit) => connection.read(() => messages.page(messages.keys.above(after), limit)),
    insert: (message) =>
      connection.change((log) => {
        if (messages.has(message.id)) return violation(`There is a message ${message.id} already`)
        log.put(messages, message.id, message)
        return Exit.void
      })
  }
}
