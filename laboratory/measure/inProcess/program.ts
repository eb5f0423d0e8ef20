// A process with one contender: `node program.ts MODULE NAME FOLDER [URL]`. Each message asks for a turn of so many seconds.

import type { Contenders } from "./Contender.ts"

const [, , module = "", name = "", folder = "", url = ""] = process.argv
const { contenders } = (await import(module)) as { readonly contenders: Contenders }
const make = contenders[name]
if (make === undefined) throw new TypeError(`There is no contender ${name}; they are ${Object.keys(contenders)}`)
const { work, written } = await make({ folder, url })

const turn = async (seconds: number) => {
  const before = process.cpuUsage()
  const start = performance.now()
  const units = await work(start + seconds * 1_000)
  const took = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(before)
  return { rate: units / took, cpu: (system + user) / units, memory: process.memoryUsage.rss() / 2 ** 20 }
}

process.on("message", (message) => {
  const asked = message === "written" ? written?.() : turn(Number(message))
  void asked?.then((result) => process.send?.(result ?? {}))
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
