// What those who follow the event log cost an order: `npm run bench:subscribers`.
// Options: --storage memory,sqlite,postgres, --group listeners,webhooks,consumers, --rounds N, --orders N, --at-once N.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type Petstore, type StorageAdapter } from "@petstore/core"
import { webhookSender } from "@petstore/http/webhooks"
import { compare, type Opened, printHeader, type Variant } from "./compare.ts"
import { Server } from "./postgres/server.ts"
import { listeners, nothing, until } from "./subscribers/listeners.ts"

const { values } = parseArgs({
  options: {
    storage: { type: "string", default: "memory,sqlite" },
    group: { type: "string", default: "listeners,webhooks,consumers" },
    rounds: { type: "string", default: "7" },
    orders: { type: "string", default: "1920" },
    "at-once": { type: "string", default: "64" }
  }
})
const [rounds, orders, atOnce] = [Number(values.rounds), Number(values.orders), Number(values["at-once"])]

const webhooks = (petstore: Petstore): ReadonlyArray<Variant> => {
  const endpoints =
    (count: number, types: ReadonlyArray<"order.cancelled" | "order.placed">) => async (): Promise<Opened> => {
      const made = await Promise.all(
        Array.from({ length: count }, () =>
          petstore.webhooks.create({ url: "https://example.com/", types: [...types] })
        )
      )
      // Until the lanes have seen their own creation.
      await new Promise((resolve) => setTimeout(resolve, 200))
      return {
        settled: async () => {
          while ((await petstore.stats()).events.lag > 0) await new Promise((resolve) => setTimeout(resolve, 1))
        },
        close: async () => {
          for (const { id } of made) await petstore.webhooks.delete(id)
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
    }
  return [
    { name: "no endpoint", open: nothing },
    ...[1, 10, 100].map(
      (count): Variant => ({
        name: `${count} endpoints for another type`,
        open: endpoints(count, ["order.cancelled"]),
        target: 1.1
      })
    )
  ]
}

const consumers = (petstore: Petstore): ReadonlyArray<Variant> => {
  let opened = 0
  const consumed = (count: number, types?: ReadonlyArray<"order.cancelled">) => async (): Promise<Opened> => {
    const seqs = Array.from({ length: count }, () => 0)
    const open = await Promise.all(
      seqs.map((_, index) =>
        petstore.events.consume(
          `bench-${++opened}`,
          (event) => {
            seqs[index] = event.seq
          },
          types === undefined ? {} : { types: [...types] }
        )
      )
    )
    return {
      settled: async () => {
        const last = await petstore.events.latest()
        if (types === undefined) await until(() => seqs.every((seq) => seq >= last))
      },
      close: async () => {
        for (const consumer of open) await consumer.close()
        for (const { name } of open) await petstore.events.consumers.remove(name)
      }
    }
  }
  return [
    { name: "no consumer", open: nothing },
    ...[1, 10].map(
      (count): Variant => ({ name: `${count} consumers of every event`, open: consumed(count), target: 1 + count / 10 })
    ),
    ...[1, 10].map(
      (count): Variant => ({
        name: `${count} consumers of another type`,
        open: consumed(count, ["order.cancelled"]),
        target: 1.1
      })
    )
  ]
}

const folder = mkdtempSync(join(tmpdir(), "petstore-subscribers-"))
const storages = values.storage.split(",")
const server = storages.includes("postgres") ? await Server.start() : undefined
try {
  printHeader("us an order")
  for (const storage of storages) {
    for (const group of values.group.split(",")) {
      let adapter: StorageAdapter = memory()
      if (storage === "sqlite") adapter = sqlite(join(folder, `${group}.db`))
      if (storage === "postgres" && server !== undefined) {
        const url = await server.create(group)
        adapter = postgres(url)
      }
      await using petstore = await createPetstore({
        storage: adapter,
        ...(group === "webhooks" ? { webhooks: webhookSender() } : {})
      })
      const { id: categoryId } = await petstore.categories.create({ name: "Fish" })
      const pets = await Promise.all(
        Array.from({ length: 16 }, async (_, number) => {
          const { id } = await petstore.pets.create({ name: `Guppy ${number}`, categoryId })
          await petstore.inventory.set(id, 10_000_000)
          return id
        })
      )
      const work = async () => {
        for (let placed = 0; placed < orders; placed += atOnce) {
          await Promise.all(Array.from({ length: atOnce }, (_, n) => petstore.orders.place({ petId: pets[0] ?? n })))
        }
      }
      const groups = { listeners, webhooks, consumers }
      if (!(group in groups)) throw new Error(`no group ${group}`)
      const variants = groups[group as keyof typeof groups](petstore, pets[0] ?? 0, orders)
      await work()
      await compare(variants, { label: storage, rounds, units: orders, work })
    }
  }
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true })
}
