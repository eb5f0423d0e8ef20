import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Caller } from "./Guard.ts"
import { bodyOf, type NewOrder, type PlacedOrder, rowsOfOrder } from "./Shop.ts"

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
  for (const setting of ["synchronous = 2", "cache_size = -65536"]) await client.$executeRawUnsafe(`PRAGMA ${setting}`)
  return client
}

const placeWith = async (models: Models, placing: NewOrder, caller: Caller): Promise<PlacedOrder> => {
  const pet = await models.pet.findFirst({ where: { id: placing.petId, deleted: 0 } })
  const { order, placed, stock } = rowsOfOrder(pet ?? undefined, placing, caller)
  const { id } = await models.order.create({ data: order })
  const { events, movement, result } = placed(id)
  await models.pet.update({ where: { id: placing.petId }, data: stock })
  await models.movement.create({ data: movement })
  await models.event.createMany({ data: events })
  return result
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
