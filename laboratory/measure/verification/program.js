// Verifies a file in the process of a server that responds meanwhile: `node program.js ROOT FILE`. Prints seconds, megabytes and the longest
// time in milliseconds that the event loop was held. Of JavaScript, so that no types are stripped, which takes memory.

import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"

const [, , root = "", file = ""] = process.argv
const load = (path) => import(pathToFileURL(join(root, "packages", path)).href)
const { createPetstore } = await load("core/dist/index.js")
const { sqlite } = await load("adapters/dist/sqlite/index.js")
const { serve } = await load("http/dist/index.js")
const { runtimeOf } = await load("core/dist/effect.js")

const petstore = await createPetstore({ storage: sqlite(file) })
const [Effect, Scope] = await Promise.all([import("effect/Effect"), import("effect/Scope")])
const serving = Effect.provideService(serve({ port: 0 }), Scope.Scope, Scope.makeUnsafe())
const { url } = await runtimeOf(petstore).runPromise(serving)

let requests = 0
let running = true
const client = async () => {
  while (running) {
    const response = await fetch(`${url}/health/live`)
    await response.arrayBuffer()
    requests++
    await pause(10)
  }
}
const clientEnded = client()
await pause(1_000)
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const begun = performance.now()
const { checks, ok } = await petstore.verify()
const seconds = (performance.now() - begun) / 1_000
delay.disable()
running = false
await clientEnded
const checked = checks.reduce((sum, check) => sum + check.checked, 0)
const result = {
  ok,
  checked,
  requests,
  seconds,
  megabytes: process.resourceUsage().maxRSS / 1_024,
  held: delay.max / 1e6
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit()
