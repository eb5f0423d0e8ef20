import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import type { EmbeddedFixture } from "@petstore/testing"
import { Effect } from "effect"
import { synchronousSql } from "../synchronousSql.ts"
import { open as openFile } from "./driver.ts"
import { temporaryFile } from "./temporaryFile.ts"

const sqlite = synchronousSql(openFile)
const files = new WeakMap<Petstore, string>()

const open = (file: string, options: PetstoreOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ ...options, storage: sqlite(file) })
      files.set(petstore, file)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

export const petstoreFixture: EmbeddedFixture = {
  open: Effect.flatMap(temporaryFile, (file) => open(file)),
  openWith: (options) => Effect.flatMap(temporaryFile, (file) => open(file, options)),
  openAnother: (petstore, options) => open(files.get(petstore) ?? "unknown", options),
  findsWords: false,
  buildsIndexes: false,
  backups: { file: temporaryFile, open: (file) => open(file) }
}
