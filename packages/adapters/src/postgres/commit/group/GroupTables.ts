import type { CategoryRecord, FirstLock, IdempotencyRecord, OrderRecord, PetRecord } from "@petstore/core/ports"
import { isVisibleOrder } from "../../../sql/OrderRows.ts"
import type { HeldRow, Later, RowHolder } from "./HeldRow.ts"
import { HeldTable } from "./HeldTable.ts"
import { type IdBlock, NewIds } from "./NewIds.ts"

/** The ids that a store has fetched for new rows. */
export interface IdBlocks {
  readonly orders: IdBlock
  readonly pets: IdBlock
}

/** The rows that one group holds. */
export class GroupTables {
  readonly pets: HeldTable<PetRecord>
  readonly orders: HeldTable<OrderRecord>
  readonly categories: HeldTable<CategoryRecord>
  /** By account and key; see {@link keyOf}. */
  readonly keys: HeldTable<IdempotencyRecord>
  readonly petIds: NewIds
  readonly orderIds: NewIds
  /** The bodies that went on as if a key were new, until it is locked. */
  readonly assumptions = new Map<HeldRow<IdempotencyRecord>, RowHolder>()
  /** Whether no row is locked yet. */
  isUnlocked = true

  constructor(blocks: IdBlocks, later: Later) {
    this.pets = new HeldTable(later, {
      isVisible: ({ deleted }) => !deleted,
      copy: (pet) => ({ ...pet, stock: { ...pet.stock } })
    })
    this.orders = new HeldTable(later, {
      isVisible: isVisibleOrder,
      copy: (record) => ({ ...record, order: { ...record.order } })
    })
    this.categories = new HeldTable(later, {
      copy: (record) => ({ ...record, category: { ...record.category } })
    })
    this.keys = new HeldTable(later, { copy: (record) => ({ ...record }) })
    this.petIds = new NewIds(blocks.pets)
    this.orderIds = new NewIds(blocks.orders)
  }

  /** Whether bodies wait for the database. */
  get isIncomplete(): boolean {
    const { categories, keys, orderIds, orders, petIds, pets } = this
    return [pets, orders, categories, keys, petIds, orderIds].some((table) => table.isIncomplete)
  }

  /** Calls `then` when a body has a row, or has left the group because it cannot have it. */
  waitFor({ id, table }: FirstLock, body: RowHolder, then: () => void): void {
    if (table === "pets") this.pets.want(id).wait(body, then)
    else this.orders.want(id).wait(body, then)
  }

  /** Ends the wait of all bodies, which `leave` makes leave the group. */
  refuseAll(leave: Parameters<HeldRow<never>["refuse"]>[0]): void {
    for (const table of [this.pets, this.orders, this.categories, this.keys]) table.refuseAll(leave)
  }
}

/** The key of an idempotency record in a group. Ids contain no blank. */
export const keyOf = (accountId: number, key: string): string => `${accountId} ${key}`

/** The account and the key of {@link keyOf}. */
export const accountAndKey = (text: number | string): readonly [accountId: number, key: string] => {
  const [account = ""] = String(text).split(" ", 1)
  return [Number(account), String(text).slice(account.length + 1)]
}
