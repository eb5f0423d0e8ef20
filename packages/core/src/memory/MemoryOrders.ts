import * as Exit from "effect/Exit"
import { violatedOrderConstraint } from "../adapter-toolkit/constraints.ts"
import type { OrderContent } from "../domain/Order.ts"
import { orderStates } from "../domain/OrderState.ts"
import type { OrderQuery, OrderRecord, OrderRows } from "../ports/OrderRows.ts"
import { GroupIndex } from "./GroupIndex.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { MemoryTable, nextId } from "./MemoryTable.ts"
import { byNumber, type SortedKeys } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

const isLive = ({ order }: OrderRecord): boolean => orderStates[order.state].visible

const isComplete = ({ order }: OrderRecord): boolean => orderStates[order.state].complete

const liveBy = <Group>(groupOf: (record: OrderRecord) => Group | undefined) =>
  new GroupIndex<number, OrderRecord, Group>(byNumber, (record) => (isLive(record) ? groupOf(record) : undefined))

const petIf = (complete: boolean) => (record: OrderRecord) =>
  isComplete(record) === complete ? record.order.petId : undefined

/** The orders, cancelled ones included. */
export const orderTable = () =>
  new MemoryTable({
    compare: byNumber,
    copy: (record: OrderRecord): OrderRecord => ({ ...record, order: { ...record.order } }),
    indexes: {
      live: liveBy((): true => true),
      completion: liveBy(isComplete),
      pet: liveBy(({ order }) => order.petId),
      petOfComplete: liveBy(petIf(true)),
      petOfIncomplete: liveBy(petIf(false))
    }
  })

const group = ({ indexes }: ReturnType<typeof orderTable>, { petId, complete }: OrderQuery): SortedKeys<number> => {
  if (petId === undefined) return complete === undefined ? indexes.live.keys(true) : indexes.completion.keys(complete)
  if (complete === undefined) return indexes.pet.keys(petId)
  return (complete ? indexes.petOfComplete : indexes.petOfIncomplete).keys(petId)
}

/** The orders of a store. */
export const memoryOrders = (connection: MemoryConnection): OrderRows => {
  const { orders, pets } = connection.database

  const problemOf = (order: OrderContent): string | undefined => {
    const broken = violatedOrderConstraint(order)
    if (broken !== undefined) return broken
    return order.petId === undefined || pets.has(order.petId) ? undefined : `There is no pet ${order.petId}`
  }

  return {
    find: (id) => connection.read(() => orders.find(id, isLive)),
    lock: (id) => connection.lock(() => orders.find(id, isLive)),
    list: (query) => connection.read(() => orders.page(group(orders, query).above(query.after), query.limit)),
    insert: (record) =>
      connection.change((log) => {
        const problem = problemOf(record.order)
        if (problem !== undefined) return violation(problem)
        const id = nextId(orders)
        log.put(orders, id, { ...record, id })
        return Exit.succeed(id)
      }),
    save: (record) =>
      connection.change((log) => {
        const problem = orders.has(record.id) ? problemOf(record.order) : `There is no order ${record.id} to save`
        if (problem !== undefined) return violation(problem)
        log.put(orders, record.id, record)
        return Exit.void
      }),
    scan: (after, limit) => connection.read(() => orders.page(orders.keys.above(after), limit))
  }
}
