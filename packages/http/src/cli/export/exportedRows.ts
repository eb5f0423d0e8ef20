import { StockRules } from "@petstore/core/domain"
import type { Storage, StorageError } from "@petstore/core/effect"
import { ownerIn } from "@petstore/core/runtime"
import { categories, orders, pets } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { quoted } from "../import/RejectedFile.ts"

type Store = Storage["Service"]

/** The values of a row by its columns. */
type ExportedRow = Readonly<Record<string, unknown>>

interface ExportedPage {
  readonly rows: ReadonlyArray<ExportedRow>
  /** The last id or `seq` that was read. */
  readonly last: number
}

interface Export {
  readonly columns: ReadonlyArray<string>
  /** Rows behind an id or `seq`; undefined if there are none left. */
  readonly page: (store: Store, after: number) => Effect.Effect<ExportedPage | undefined, StorageError>
}

const pageSize = 500

const behind = (after: number): ReadonlyArray<number> => (after === 0 ? [] : [after])

/** First the columns that `petstore import` reads. */
const petPage = Effect.fnUntraced(function* (store: Store, after: number) {
  const page = yield* store.scan(pets, behind(after), pageSize)
  const last = page.at(-1)
  if (last === undefined) return undefined
  const ids = [...new Set(page.map(({ categoryId }) => categoryId))]
  const names = new Map((yield* store.findAll(categories, ids)).map(({ category: { id, name } }) => [id, name]))
  const rows = page
    .filter(({ deleted }) => !deleted)
    .map(({ categoryId, createdAt, id, name, stock, updatedAt }) => ({
      name,
      category: names.get(categoryId),
      status: StockRules.statusOf(stock),
      quantity: stock.onHand,
      reserved: stock.reserved,
      id,
      categoryId,
      createdAt,
      updatedAt
    }))
  return { rows, last: last.id }
})

const orderPage = Effect.fnUntraced(function* (store: Store, after: number) {
  const page = yield* store.scan(orders, behind(after), pageSize)
  const last = page.at(-1)
  if (last === undefined) return undefined
  const rows = page.map(({ createdAt, id, order, owner, updatedAt }) => {
    const { expiresAt, petId, quantity, shipDate, state } = order
    const { accountId, user } = owner === undefined ? {} : ownerIn(owner)
    return { id, petId, quantity, state, shipDate, expiresAt, accountId, user, createdAt, updatedAt }
  })
  return { rows, last: last.id }
})

const eventPage = Effect.fnUntraced(function* (store: Store, after: number) {
  const page = yield* store.events.scan(after, pageSize)
  const last = page.at(-1)
  if (last === undefined) return undefined
  const rows = page.map(({ data, id, seq, subject, timestamp, type }) => ({ seq, id, type, subject, timestamp, data }))
  return { rows, last: last.seq }
})

export const kinds = {
  pets: {
    columns: ["name", "category", "status", "quantity", "reserved", "id", "categoryId", "createdAt", "updatedAt"],
    page: petPage
  },
  orders: {
    columns: [
      "id",
      "petId",
      "quantity",
      "state",
      "shipDate",
      "expiresAt",
      "accountId",
      "user",
      "createdAt",
      "updatedAt"
    ],
    page: orderPage
  },
  events: { columns: ["seq", "id", "type", "subject", "timestamp", "data"], page: eventPage }
} satisfies Readonly<Record<string, Export>>

export type Exported = keyof typeof kinds

const cellOf = (value: unknown): string => {
  if (value === undefined) return ""
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? quoted(text) : text
}

/** The lines of a format. */
export const lineOf = {
  csv: (columns: ReadonlyArray<string>, row: ExportedRow): string =>
    `${columns.map((column) => cellOf(row[column])).join(",")}\n`,
  ndjson: (_columns: ReadonlyArray<string>, row: ExportedRow): string => `${JSON.stringify(row)}\n`
}

export type ExportFormat = keyof typeof lineOf
