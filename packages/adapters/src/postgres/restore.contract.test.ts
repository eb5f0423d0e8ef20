import { describe, it } from "@effect/vitest"
import { Storage } from "@petstore/core/ports"
import { inGroups, registerContract, type Store, storageContract } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const urls = new WeakMap<Store, string>()

const open = (url: string) =>
  Effect.map(Layer.build(postgres({ url, schema: "a 'shop'" }).layer), (context) => {
    const store = Context.get(context, Storage)
    urls.set(store, url)
    return store
  })

const cases = storageContract({
  open: Effect.flatMap(testDatabase, open),
  openAnother: (store) => Effect.suspend(() => open(urls.get(store) ?? "unknown"))
})

describe("postgres", () => registerContract(inGroups(cases, ["storage: restoring whole records"]), { describe, it }))
