import { fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Lab } from "../Lab.ts"
import { nextMessage } from "../measure/machine/nextMessage.ts"
import { quantile } from "../measure/report/statistics.ts"

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const adminKey = "the-admin-key-of-the-laboratory"
const consoles = 50
const perSecond = 500
const seconds = 10
/** How many orders begin together, and after how many milliseconds the next. */
const together = 5
const pause = (1_000 * together) / perSecond

interface Sold {
  /** Orders per second. */
  readonly rate: number
  /** Milliseconds that the slowest of a hundred orders takes, from when it should have begun. */
  readonly p99: number
}

/** Places orders at a fixed rate, whatever becomes of the earlier ones. */
const sell = async (base: string): Promise<Sold> => {
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
  const start = performance.now()
  const placed: Array<Promise<void>> = []
  for (let turn = 0; turn < (perSecond * seconds) / together; turn++) {
    const due = start + turn * pause
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1))
    for (let order = 0; order < together; order++) placed.push(place(due))
  }
  await Promise.all(placed)
  return { rate: (taken.length * 1_000) / (performance.now() - start), p99: quantile(taken, 0.99) }
}

/** Sells alone and beside the consoles, in turns, on one server. */
const compare = async (folder: string, lab: Lab<object>) => {
  const server = fork(programOf("server.ts"), [join(folder, "shop.db"), adminKey, String(consoles)])
  try {
    const { keys, port } = (await nextMessage(server, "The server")) as { keys: ReadonlyArray<string>; port: number }
    const base = `http://127.0.0.1:${port}/v1`
    await sell(base)
    const alone: Array<Sold> = []
    const beside: Array<Sold> = []
    for (let round = 0; round < lab.rounds; round++) {
      alone.push(await sell(base))
      const tabs = fork(programOf("tabs.ts"), [base, ...keys])
      await nextMessage(tabs, "The consoles")
      beside.push(await sell(base))
      tabs.disconnect()
    }
    return { alone, beside }
  } finally {
    server.disconnect()
  }
}

const shown = (sold: ReadonlyArray<Sold>) => ({
  rate: quantile(
    sold.map(({ rate }) => rate),
    0.5
  ),
  p99: quantile(
    sold.map(({ p99 }) => p99),
    0.5
  )
})

export const ask = async (lab: Lab<object>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-consoles-"))
  try {
    const { alone, beside } = await compare(folder, lab)
    const [without, withThem] = [shown(alone), shown(beside)]
    for (const [name, { p99, rate }] of Object.entries({ alone: without, [`beside ${consoles} consoles`]: withThem })) {
      lab.log(`${name}: ${rate.toFixed(0)} orders/s, p99 ${p99.toFixed(1)} ms`)
    }
    if (withThem.rate < 0.9 * without.rate) lab.found("Consoles take more than a tenth of the rate of orders.")
    // One commit more or less is a millisecond or two.
    if (withThem.p99 > 1.5 * without.p99 + 2) lab.found("Consoles make orders slower.")
  } finally {
    await rm(folder, { recursive: true })
  }
}
