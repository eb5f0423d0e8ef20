// A process that measures one contender: `node program.ts NAME FOLDER ROOT`. Each message runs one round. The packages are those of
// the checkout at ROOT, so that two of them can be compared in one run.

import { contenderAt } from "./contenders.ts"
import { packagesOf } from "./packages.ts"

const [, , name = "", folder = "", root = ""] = process.argv
const round = await contenderAt(name, folder, await packagesOf(root))

process.on("message", (seconds) => {
  const before = process.cpuUsage()
  const start = performance.now()
  round(start + Number(seconds) * 1_000).then((calls) => {
    const took = (performance.now() - start) / 1_000
    const { system, user } = process.cpuUsage(before)
    process.send?.({ rate: calls / took, cpu: (system + user) / calls })
  })
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
