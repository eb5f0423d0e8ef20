import type {
  DriverCallback,
  DriverNotice,
  DriverQuery,
  DriverResult,
  PooledDriverClient,
  Row
} from "../postgres/connection/driver.ts"
import { messagesOf, sync } from "./wire.ts"

/** A message of the server, as PGlite reads it. */
export interface PgliteMessage {
  /** Such as `dataRow`, `commandComplete`, `error`, `notice` or `readyForQuery`. */
  readonly name: string
}

/** A `PGlite` of the package `@electric-sql/pglite`, as far as the adapter uses it. */
export interface PgliteDatabase {
  readonly waitReady: Promise<unknown>
  readonly closed: boolean
  /** Runs a function while no other statement runs. */
  runExclusive<A>(work: () => Promise<A>): Promise<A>
  /** Sends messages of the PostgreSQL protocol. */
  execProtocol(
    message: Uint8Array,
    options: { readonly throwOnError: boolean; readonly syncToFs: boolean }
  ): Promise<{ readonly messages: ReadonlyArray<PgliteMessage> }>
}

interface Column {
  readonly name: string
  readonly dataTypeID: number
}

interface Messages {
  readonly rowDescription: { readonly fields: ReadonlyArray<Column> }
  readonly dataRow: { readonly fields: ReadonlyArray<string | null> }
  readonly commandComplete: { readonly text: string }
  readonly readyForQuery: { readonly status: string }
  readonly notice: DriverNotice
  readonly error: Error
}

const all = <Name extends keyof Messages>(
  messages: ReadonlyArray<PgliteMessage>,
  name: Name
): ReadonlyArray<Messages[Name]> =>
  // PGlite documents which fields the messages of each name have.
  messages.filter((message) => message.name === name) as ReadonlyArray<unknown> as ReadonlyArray<Messages[Name]>

/** The one connection of a PGlite, for as long as it is leased. */
export class PgliteClient implements PooledDriverClient {
  readonly isInProcess = true
  private readonly database: PgliteDatabase
  private readonly onRelease: () => void
  private readonly listeners = new Set<(notice: DriverNotice) => void>()

  constructor(database: PgliteDatabase, onRelease: () => void) {
    this.database = database
    this.onRelease = onRelease
  }

  /** Whether a transaction is open, which then belongs to the app. */
  async isInTransaction(): Promise<boolean> {
    const [ready] = all(await this.send(sync), "readyForQuery")
    return ready?.status !== "I"
  }

  query(query: DriverQuery, callback: DriverCallback): void {
    this.run(query).then((result) => callback(null, result), callback)
  }

  private async run(query: DriverQuery): Promise<DriverResult> {
    const messages = await this.send(messagesOf(query), query.values === undefined)
    for (const notice of all(messages, "notice")) for (const listener of this.listeners) listener(notice)
    const [error] = all(messages, "error")
    if (error !== undefined) throw error
    const columns = all(messages, "rowDescription").at(-1)?.fields ?? []
    const parsers = columns.map(({ dataTypeID }) => query.types?.getTypeParser(dataTypeID) ?? String)
    const rows = all(messages, "dataRow").map(
      ({ fields }): Row =>
        Object.fromEntries(
          columns.map(({ name }, index) => {
            const value = fields[index] ?? null
            return [name, value === null ? null : parsers[index]?.(value)]
          })
        )
    )
    const tag = all(messages, "commandComplete").at(-1)?.text ?? ""
    const count = /(?<!\d)\d+$/.exec(tag)?.[0]
    return { rows, rowCount: count === undefined ? null : Number(count), command: tag.split(" ")[0] ?? "" }
  }

  on(event: "error" | "end", listener: () => void): void
  on(event: "notice", listener: (notice: DriverNotice) => void): void
  on(event: string, listener: (notice: DriverNotice) => void): void {
    if (event === "notice") this.listeners.add(listener)
  }

  removeListener(event: "error" | "end", listener: () => void): void
  removeListener(event: "notice", listener: (notice: DriverNotice) => void): void
  removeListener(event: string, listener: (notice: DriverNotice) => void): void {
    if (event === "notice") this.listeners.delete(listener)
  }

  release(): void {
    this.onRelease()
  }

  /** Sends messages; `isWhole`: whether they may end a transaction, which is then written to the file system. */
  private async send(message: Uint8Array, isWhole = false): Promise<ReadonlyArray<PgliteMessage>> {
    return (await this.database.execProtocol(message, { throwOnError: false, syncToFs: isWhole })).messages
  }
}
