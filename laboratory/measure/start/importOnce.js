// Prints how long an import takes, in milliseconds of time and of processor time, and what it loads: `node importOnce.js URL [list]`.

import { registerHooks } from "node:module"

const [, , entry, list] = process.argv
const urls = []
if (list === "list") {
  registerHooks({
    load(url, context, next) {
      urls.push(url)
      return next(url, context)
    }
  })
}
const before = process.cpuUsage()
const begun = performance.now()
await import(entry)
const wall = performance.now() - begun
const { system, user } = process.cpuUsage(before)
process.stdout.write(JSON.stringify({ wall, processor: (system + user) / 1_000, urls }))
