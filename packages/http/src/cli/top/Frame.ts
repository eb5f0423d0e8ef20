import { table } from "../terminal/table.ts"
import { cut, printable, type Style } from "../terminal/text.ts"
import type { Reading, ServerReading, StoreReading } from "./Reading.ts"

/** What `petstore top` shows: queues as they are, and rates since the reading before. */
export interface Frame {
  readonly at: string
  readonly source: string
  readonly store: StoreReading & { readonly eventsPerSecond: number }
  /** Null if the database itself was read. */
  readonly server:
    | (Pick<ServerReading, "inFlight" | "transactionsWaiting" | "waiting"> & {
        readonly requestsPerSecond: number
        readonly failuresPerSecond: number
        readonly transactionsPerSecond: number
        readonly commitsPerSecond: number
      })
    | null
}

const tenths = (value: number): number => Math.round(value * 10) / 10

/** Compares a reading with the one before. A counter that is smaller than before began again: the server was restarted. */
export const frameOf = (source: string, before: Reading, { at, server, store }: Reading): Frame => {
  const seconds = Math.max(0.001, (at - before.at) / 1_000)
  const rate = (now: number, then = 0): number => tenths((now < then ? now : now - then) / seconds)
  const old = before.server
  return {
    at: new Date(at).toISOString(),
    source,
    store: { ...store, eventsPerSecond: rate(store.latestEvent, before.store.latestEvent) },
    server:
      server === undefined
        ? null
        : {
            requestsPerSecond: rate(server.requests, old?.requests),
            failuresPerSecond: rate(server.failures, old?.failures),
            inFlight: server.inFlight,
            waiting: server.waiting,
            transactionsPerSecond: rate(server.transactions, old?.transactions),
            transactionsWaiting: server.transactionsWaiting,
            commitsPerSecond: rate(server.commits, old?.commits)
          }
  }
}

const age = (seconds: number): string => {
  if (seconds < 60) return `${tenths(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}

const oldest = (count: number, seconds: number): string => (count === 0 ? "-" : age(seconds))

const serverRows = ({
  commitsPerSecond,
  failuresPerSecond,
  inFlight,
  requestsPerSecond,
  transactionsPerSecond,
  transactionsWaiting,
  waiting
}: NonNullable<Frame["server"]>): ReadonlyArray<ReadonlyArray<string>> => [
  [
    "requests",
    `${requestsPerSecond}/s`,
    `${failuresPerSecond}/s failed`,
    `${inFlight} in flight`,
    `${waiting} waiting`
  ],
  ["transactions", `${transactionsPerSecond}/s`, `${commitsPerSecond}/s commits`, "", `${transactionsWaiting} waiting`]
]

/** The lines of a frame, none wider than a width. */
export const linesOf = ({ at, server, source, store }: Frame, apply: Style, width: number): ReadonlyArray<string> => {
  const { consumers, eventsPerSecond, latestEvent, messages, webhooks } = store
  const linesOfTable = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
    table(rows, width)
      .split("\n")
      .map((line) => cut(line, width))
  const section = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
    if (rows.length === 1) return []
    const [head = "", ...rest] = linesOfTable(rows)
    return ["", apply("bold", head), ...rest]
  }
  const summary = [
    ...(server === null ? [] : serverRows(server)),
    ["events", `${eventsPerSecond}/s`, `${latestEvent} in all`],
    [
      "messages",
      `${messages.queued} queued`,
      `${messages.failed} failed`,
      `oldest ${oldest(messages.queued, messages.oldestSeconds)}`
    ]
  ]
  return [
    apply("bold", cut(`${at.slice(0, 19).replace("T", " ")}Z  ${printable(source)}`, width)),
    "",
    ...linesOfTable(summary),
    ...section([
      ["consumer", "events behind", "oldest"],
      ...consumers.map(({ lag, name, oldestSeconds }) => [printable(name), String(lag), oldest(lag, oldestSeconds)])
    ]),
    ...section([
      ["webhook", "state", "pending", "failed", "oldest pending"],
      ...webhooks.map(({ enabled, failed, id, oldestSeconds, pending }) => [
        String(id),
        enabled ? "enabled" : "disabled",
        String(pending),
        String(failed),
        oldest(pending, oldestSeconds)
      ])
    ])
  ]
}
