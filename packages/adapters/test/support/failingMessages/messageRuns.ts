import pg from "pg"
import { type MessageFault, messageFaults, type Sender, senders } from "../postgres/TcpProxy.ts"
import { textToEmpty } from "../postgres/textToEmpty.ts"
import { runShop, type ShopRun } from "./shop.ts"

/** What a fault has led to. */
export interface MessageOutcome {
  readonly fault: MessageFault
  readonly run: ShopRun
}

/** How many runs there are at a time, which wait for timeouts most of the time. */
const parallel = 6

/** How many messages each side sends in a run without a fault, at most. Throws if such a run does not end well. */
export const countMessages = async (url: string): Promise<Readonly<Record<Sender, number>>> => {
  const most = { client: 0, server: 0 }
  await inSchema(url, "shop_0", async (run) => {
    // Groups form differently each time.
    for (let number = 0; number < 3; number++) {
      const { findings, messages } = await run()
      if (findings.length > 0) throw new Error(`The scenario fails without a fault:\n${findings.join("\n")}`)
      for (const sender of senders) most[sender] = Math.max(most[sender], messages[sender])
    }
  })
  return most
}

/** Each fault of each message. */
export const allMessageFaults = (messages: Readonly<Record<Sender, number>>): ReadonlyArray<MessageFault> =>
  senders.flatMap((from) =>
    Array.from({ length: messages[from] }, (_, index) =>
      messageFaults.map((fault) => ({ fault, from, at: index + 1 }))
    ).flat()
  )

/** Runs the scenario with each fault, several at a time, in schemas of a database of which the user of the URL is a superuser. */
export const runMessageFaults = async (
  faults: Iterable<MessageFault>,
  url: string,
  onOutcome: (outcome: MessageOutcome) => void
): Promise<void> => {
  const rest = faults[Symbol.iterator]()
  const work = (_: unknown, worker: number) =>
    inSchema(url, `shop_${worker}`, async (run) => {
      for (let { done, value } = rest.next(); done !== true; { done, value } = rest.next()) {
        onOutcome({ fault: value, run: await run(value) })
      }
    })
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
