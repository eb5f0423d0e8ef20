import pg from "pg"
import {
  type Counted,
  counted,
  type MessageFault,
  messageErrors
} from "../../../packages/adapters/test/support/postgres/TcpProxy.ts"
import { textToEmpty } from "../../../packages/adapters/test/support/postgres/textToEmpty.ts"
import { type Outcome, runInTurn } from "../faultOutcomes.ts"
import { runShop, type ShopRun } from "./shop.ts"

/** How many runs there are at a time, which wait for timeouts most of the time. */
const parallel = 6

/** How much there is of each kind in a run without a fault, at most. Throws if such a run does not end well. */
export const countMessages = async (url: string): Promise<Readonly<Record<Counted, number>>> => {
  const most = { client: 0, server: 0, connection: 0 }
  await inSchema(url, "shop_0", async (run) => {
    // Groups form differently each time.
    for (let number = 0; number < 3; number++) {
      const { counts, findings } = await run()
      if (findings.length > 0) throw new Error(`The scenario fails without a fault:\n${findings.join("\n")}`)
      for (const of of counted) most[of] = Math.max(most[of], counts[of])
    }
  })
  return most
}

/** Each fault of each message and connection. */
export const allMessageFaults = (counts: Readonly<Record<Counted, number>>): ReadonlyArray<MessageFault> =>
  counted.flatMap((of) =>
    messageErrors[of].flatMap((error) =>
      Array.from({ length: counts[of] }, (_, index) => ({ of, at: index + 1, error }))
    )
  )

/** Runs the scenario with each fault, several at a time, in schemas of a database of which the user of the URL is a superuser. */
export const runMessageFaults = async (
  faults: IterableIterator<MessageFault>,
  url: string,
  onOutcome: (outcome: Outcome<MessageFault>) => void
): Promise<void> => {
  const work = (_: unknown, worker: number) =>
    inSchema(url, `shop_${worker}`, (run) => runInTurn(faults, run, onOutcome))
  await Promise.all(Array.from({ length: parallel }, work))
}

/** Runs scenarios one after the other in a schema, which is emptied after each. */
const inSchema = async (
  url: string,
  schema: string,
  use: (run: (fault?: MessageFault) => Promise<ShopRun>) => Promise<void>
): Promise<void> => {
  const admin = new pg.Client(url)
  await admin.connect()
  try {
    await use(async (fault) => {
      const run = await runShop(url, schema, fault)
      await admin.query(await textToEmpty((text) => admin.query(text), schema))
      return run
    })
  } finally {
    await admin.end()
  }
}
