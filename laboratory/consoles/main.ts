import { type ChildProcess, fork } from "node:child_process"
import { mkdtempDisposableSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Lab } from "../Lab.ts"
import { clientCore, nextMessage, onCore, replyOf, serverCore } from "../measure/machine/processes.ts"
import { quantile } from "../measure/statistics.ts"

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const adminKey = "the-admin-key-of-the-laboratory"
const consoles = 50
const seconds = 5
const perSecond = 500
/** How many orders begin together. */
const together = 5
/** Milliseconds until the next ones begin. */
const pause = (1_000 * together) / perSecond

interface Sold {
  /** Orders per second. */
  readonly rate: number
  /** Milliseconds that the slowest of a hundred orders takes, from when it should have begun. */
  readonly p99: number
  /** Milliseconds of processor time of the server in a second: what consoles cost on a machine that is busy, too. */
  readonly cpu: number
}

/** Places orders at a fixed rate, whatever becomes of the earlier ones. */
const sell = async (base: string, server: ChildProcess): Promise<Sold> => {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
  const taken: Array<number> = []
  const place = async (due: number): Promise<void> => {
    const petId = 1 + Math.floor(Math.random() * 50)
    const order = { method: "POST", headers, body: JSON.stringify({ petId }) }
    const status = await fetch(`${base}/store/orders`, order).then(
      async (response) => {
        await response.text()
        return response.status
      },
      () => 0
    )
    if (status === 201) taken.push(performance.now() - due)
  }
  const cpu = () => replyOf<number>(server, "The server", "cpu")
  const before = await cpu()
  const start = performance.now()
  const placed: Array<Promise<void>> = []
  for (let turn = 0; turn < (perSecond * seconds) / together; turn++) {
    const due = start + turn * pause
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1))
    for (let order = 0; order < together; order++) placed.push(place(due))
  }
  await Promise.all(placed)
  const passed = (performance.now() - start) / 1_000
  return { rate: taken.length / passed, p99: quantile(taken, 0.99), cpu: ((await cpu()) - before) / passed }
}

/** Sells alone and beside the consoles, in turns, on one server. */
const compare = async (folder: string, lab: Lab) => {
  const flags = process.execArgv
  const args = [join(folder, "shop.db"), adminKey, String(consoles)]
  const server = fork(programOf("server.ts"), args, onCore(serverCore, ...flags))
  try {
    const { keys, port } = (await nextMessage(server, "The server")) as { keys: ReadonlyArray<string>; port: number }
    const base = `http://127.0.0.1:${port}/v1`
    const turn = () => sell(base, server)
    await turn()
    const alone: Array<Sold> = []
    const beside: Array<Sold> = []
    for (let round = 0; round < lab.rounds && !lab.isOver; round++) {
      alone.push(await turn())
      const tabs = fork(programOf("tabs.ts"), [base, ...keys], onCore(clientCore, ...flags))
      await nextMessage(tabs, "The consoles")
      beside.push(await turn())
      tabs.disconnect()
      for (const [name, sold] of Object.entries({ alone, beside }))
        for (const one of sold.slice(-1)) lab.log(`${name}: ${shownOne(one)}`)
    }
    return { alone, beside }
  } finally {
    server.disconnect()
  }
}

const shownOne = ({ cpu, p99, rate }: Sold): string =>
  `${rate.toFixed(0)} orders/s with a p99 of ${p99.toFixed(1)} ms and ${cpu.toFixed(0)} ms of CPU a second`

const medianOf = (sold: ReadonlyArray<Sold>): Sold => {
  const median = (part: keyof Sold): number =>
    quantile(
      sold.map((one) => one[part]),
      0.5
    )
  return { rate: median("rate"), p99: median("p99"), cpu: median("cpu") }
}

export const ask = async (lab: Lab): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-consoles-"))
  const { alone, beside } = await compare(folder.path, lab)
  const [without, withThem] = [medianOf(alone), medianOf(beside)]
  lab.log(`medians: ${shownOne(without)} alone, ${shownOne(withThem)} beside ${consoles} consoles`)
  if (withThem.rate < 0.9 * without.rate) lab.found("Consoles take more than a tenth of the rate of orders.")
  // One commit more or less is a millisecond or two.
  if (withThem.p99 > 1.5 * without.p99 + 2) lab.found("Consoles make orders slower.")
}
