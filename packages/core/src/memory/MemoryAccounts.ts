import * as Exit from "effect/Exit"
import type { Account } from "../domain/Account.ts"
import type { AccountRows } from "../ports/AccountRows.ts"
import { Duplicate } from "../ports/StorageError.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { byNumber } from "./SortedKeys.ts"

/** An account and its name as it is compared. */
export interface AccountRow {
  readonly account: Account
  readonly nameKey: string
}

/** The accounts, with their names as they are compared. */
export const accountTable = () =>
  new MemoryTable({
    compare: byNumber,
    copy: ({ account, nameKey }: AccountRow): AccountRow => ({ account: { ...account }, nameKey }),
    indexes: { name: new GroupIndex(byNumber, (row: AccountRow) => row.nameKey) }
  })

/** The accounts of a store. */
export const memoryAccounts = (connection: MemoryConnection): AccountRows => {
  const { accounts } = connection.database
  const { name } = accounts.indexes
  return {
    find: (id) => connection.read(() => accounts.find(id)?.account),
    findByName: (nameKey) => connection.read(() => accounts.page(name.keys(nameKey).above(0), 1)[0]?.account),
    list: (after, limit) =>
      connection.read(() => accounts.page(accounts.keys.above(after), limit).map((row) => row.account)),
    insert: ({ nameKey, ...account }) =>
      connection.change((log) => {
        if (name.keys(nameKey).size > 0) return Exit.fail(new Duplicate({ value: nameKey }))
        const id = nextId(accounts)
        log.put(accounts, id, { account: { ...account, id }, nameKey })
        return Exit.succeed(id)
      })
  }
}
