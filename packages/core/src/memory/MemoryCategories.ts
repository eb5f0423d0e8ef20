import * as Exit from "effect/Exit"
import type { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { CategoryRecord, CategoryRows } from "../ports/CategoryRows.ts"
import { Duplicate } from "../ports/StorageError.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { byNumber } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

const isLive = (record: CategoryRecord): boolean => !record.deleted

const liveBy = <Group>(groupOf: (record: CategoryRecord) => Group) =>
  new GroupIndex<number, CategoryRecord, Group>(byNumber, (record) => (isLive(record) ? groupOf(record) : undefined))

/** The categories, tombstones included. */
export const categoryTable = () =>
  new MemoryTable({
    compare: byNumber,
    copy: (record: CategoryRecord): CategoryRecord => ({ ...record, category: { ...record.category } }),
    indexes: { live: liveBy((): true => true), name: liveBy((record) => record.nameKey) }
  })

/** The categories of a store. */
export const memoryCategories = (connection: MemoryConnection): CategoryRows => {
  const { categories } = connection.database
  const { live, name } = categories.indexes
  const isTaken = (nameKey: string, id: number): boolean => ![undefined, id].includes(name.keys(nameKey).last)

  return {
    find: (id) => connection.read(() => categories.find(id, isLive)),
    findByName: (nameKey) => connection.read(() => categories.page(name.keys(nameKey).above(0), 1)[0]),
    lock: (id) => connection.lock(() => categories.find(id, isLive)),
    lockShared: (id) => connection.lock(() => categories.find(id, isLive)),
    list: (after, limit) => connection.read(() => categories.page(live.keys(true).above(after), limit)),
    insert: ({ category, nameKey, version }) =>
      connection.change((log) => {
        const id = nextId(categories)
        if (isTaken(nameKey, id)) return Exit.fail(new Duplicate({ value: nameKey }))
        log.put(categories, id, { category: { ...category, id }, nameKey, version, deleted: false })
        return Exit.succeed(id)
      }),
    save: (record) =>
      connection.change((log): Exit.Exit<void, Duplicate | InternalError> => {
        const { id } = record.category
        if (!categories.has(id)) return violation(`There is no category ${id} to save`)
        if (isLive(record) && isTaken(record.nameKey, id)) return Exit.fail(new Duplicate({ value: record.nameKey }))
        log.put(categories, id, record)
        return Exit.void
      }),
    scan: (after, limit) => connection.read(() => categories.page(categories.keys.above(after), limit))
  }
}
