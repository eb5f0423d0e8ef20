// A process of clients: `node program.ts library|fetch ROOT PORT KEY`. Each message runs a round of so many reads, 16 at a time.

import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Client from "@petstore/http/client"

const [, , kind = "", root = "", port = "", key = ""] = process.argv
const baseUrl = `http://127.0.0.1:${port}/v1`
const atOnce = 16

const readers: Readonly<Record<string, () => Promise<(id: number) => Promise<unknown>>>> = {
  library: async () => {
    const path = pathToFileURL(join(root, "packages/http/dist/client/index.js")).href
    const { createClient } = (await import(path)) as typeof Client
    const petstore = createClient({ baseUrl, key })
    return (id) => petstore.pets.get(id)
  },
  fetch: async () => async (id) => {
    const response = await fetch(`${baseUrl}/pets/${id}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }
}

const read = await readers[kind]?.()
if (read === undefined) throw new TypeError(`There is no client ${kind}`)

process.on("message", (count) => {
  const before = process.cpuUsage()
  let left = Number(count)
  const caller = async (): Promise<void> => {
    while (left-- > 0) await read(1 + (left % 1_000))
  }
  Promise.all(Array.from({ length: atOnce }, caller)).then(() => {
    const { system, user } = process.cpuUsage(before)
    process.send?.((system + user) / Number(count))
  })
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
