import { execFile } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFileInMemory } from "../../../packages/adapters/test/support/temporary.ts"
import { installTools } from "../../../scripts/tools.ts"
import { checkThatContendersAgree } from "./agreement.ts"
import { peers, petstore, type ServerProcess, startServer } from "./ServerProcess.ts"
import { makeShop } from "./Shop.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

describe("given the servers of the benchmark", () => {
  it.effect("when they serve the same shop, then they respond alike and write the same rows", () =>
    Effect.gen(function* () {
      const folder = dirname(yield* temporaryFileInMemory)
      yield* Effect.promise(() => promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: root }))
      yield* Effect.promise(() => installTools("laboratory/measure/peers"))
      const shop = yield* Effect.promise(() => makeShop(folder, 8))
      const servers: Array<ServerProcess> = []
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(servers.map((server) => server.stop()))))
      for (const contender of [petstore(), ...Object.values(peers)]) {
        servers.push(yield* Effect.promise(() => startServer(contender, shop, folder, {})))
      }
      yield* Effect.promise(() => checkThatContendersAgree(servers, shop))
    })
  )
})
