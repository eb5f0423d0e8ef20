import { PGlite } from "@electric-sql/pglite"
import { pglite } from "@petstore/adapters/pglite"
import { createPetstore } from "@petstore/core"
import { story } from "./story.ts"

const bytesOf = async (file: string) => (await fetch(file)).arrayBuffer()

/** PGlite in memory, from the files of its package beside this page, wherever the bundler puts the code. */
const open = async () =>
  new PGlite({
    pgliteWasmModule: await WebAssembly.compile(await bytesOf("pglite.wasm")),
    initdbWasmModule: await WebAssembly.compile(await bytesOf("initdb.wasm")),
    fsBundle: new Blob([await bytesOf("pglite.data")])
  })

const run = async () => {
  const database = await open()
  const storage = pglite(database)
  const storyResult = await story({ storage })
  const petstore = await createPetstore({ storage })
  const { items } = await petstore.orders.list()
  await petstore.close()
  await database.close()
  return { ...storyResult, kept: items.length }
}

globalThis.storyResult = run()
