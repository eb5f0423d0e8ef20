import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { eventId, typeCodes } from "./Events.ts"
import type { Caller } from "./Guard.ts"
import { available, bodyOf, Conflict, type NewOrder, type PlacedOrder, statusOf } from "./Shop.ts"

type Fields = Readonly<Record<string, unknown>>
type StockRow = Parameters<typeof bodyOf>[0]

/** What it uses of the client that Prisma generates. */
interface Models {
  readonly pet: {
    readonly findFirst: (options: { readonly where: Fields }) => Promise<StockRow | null>
    readonly update: (options: { readonly where: Fields; readonly data: Fields }) => Promise<unknown>
  }
  readonly order: { readonly create: (options: { readonly data: Fields }) => Promise<{ readonly id: number }> }
  readonly movement: { readonly create: (options: { readonly data: Fields }) => Promise<unknown> }
  readonly event: { readonly createMany: (options: { readonly data: ReadonlyArray<Fields> }) => Promise<unknown> }
}

interface Client extends Models {
  readonly $executeRawUnsafe: (sql: string) => Promise<unknown>
  readonly $transaction: <A>(
    work: (models: Models) => Promise<A>,
    options: { readonly maxWait: number; readonly timeout: number }
  ) => Promise<A>
}

type Adapter = new (options: { readonly url: string }) => object

/** Milliseconds that a transaction waits for its turn, and takes. */
const patience = 60_000

const folder = fileURLToPath(new URL(".", import.meta.url))
// Only the peers have these packages.
const clientPackage: string = "@prisma/client"
const adapterPackage: string = "@prisma/adapter-better-sqlite3"

/** Makes the client from `schema.prisma`, once. It would download a program for migrations unless there is one. */
const generate = async (): Promise<void> => {
  if (existsSync(`${folder}node_modules/.prisma/client/schema.prisma`)) return
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }
  const args = ["node_modules/prisma/build/index.js", "generate", "--schema", "schema.prisma"]
  await promisify(execFile)(process.execPath, args, { cwd: folder, env })
}

const open = async (file: string): Promise<Client> => {
  await generate()
  const { PrismaClient } = (await import(clientPackage)) as { readonly PrismaClient: new (options: object) => Client }
  const { PrismaBetterSqlite3 } = (await import(adapterPackage)) as { readonly PrismaBetterSqlite3: Adapter }
  const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: `file:${file}` }) })
  for (const setting of ["synchronous = 2", "cache_size = -16384"]) await client.$executeRawUnsafe(`PRAGMA ${setting}`)
  return client
}

const recordOf = (now: number, type: keyof typeof typeCodes, values: ReadonlyArray<unknown>): Fields => ({
  id: eventId(now),
  type: typeCodes[type],
  subject: "",
  timestamp: "",
  data: JSON.stringify(values).slice(1)
})

const placeWith = async (
  models: Models,
  { petId, quantity }: NewOrder,
  { actor, owner }: Caller
): Promise<PlacedOrder> => {
  const pet = await models.pet.findFirst({ where: { id: petId, deleted: 0 } })
  if (pet === null) throw new Conflict("unknown_pet")
  if (available(pet) < quantity) throw new Conflict("insufficient_stock")
  const now = Date.now()
  const at = new Date(now).toISOString()
  const reserved = pet.reserved + quantity
  const free = pet.on_hand - reserved
  const status = statusOf(pet.on_hand, free)
  const stock_version = pet.stock_version + 1
  const seq = pet.last_movement + 1
  const order = { state: "open", pet_id: petId, quantity, version: 1, created_at: at, updated_at: at, owner }
  const { id } = await models.order.create({ data: order })
  await models.pet.update({ where: { id: petId }, data: { reserved, status, stock_version, last_movement: seq } })
  const movement = { pet_id: petId, seq, kind: "reserved", delta_on_hand: 0, delta_reserved: quantity }
  await models.movement.create({ data: { ...movement, order_id: id, actor, at } })
  const stock = [petId, pet.on_hand, status, reserved, free, false, stock_version]
  await models.event.createMany({
    data: [
      recordOf(now, "order.placed", [id, petId, quantity, false, "open", 1]),
      recordOf(now, "inventory.updated", stock)
    ]
  })
  return { id, petId, quantity, complete: false }
}

/** The shop by the client of Prisma, as its documentation shows it. */
export const prismaShop = async (file: string) => {
  const client = await open(file)
  return {
    petWithStock: async (id: number) => {
      const row = await client.pet.findFirst({ where: { id, deleted: 0 } })
      return row === null ? undefined : bodyOf(row)
    },
    place: (order: NewOrder, caller: Caller) =>
      client.$transaction((models) => placeWith(models, order, caller), { maxWait: patience, timeout: patience })
  }
}
