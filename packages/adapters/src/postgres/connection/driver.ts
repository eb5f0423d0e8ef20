import { bytesOfHex } from "../../sql/hex.ts"
import type { SqlValue } from "../../sql/SqlTransaction.ts"

// `pg`, since it reports the notices of the server, and sends statements without waiting for earlier results: a `COMMIT` whose wait for a standby was
// cancelled succeeds with a warning.

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** What the server returns for a statement. */
export interface DriverResult {
  readonly rows: ReadonlyArray<Row>
  readonly rowCount: number | null
  readonly command: string
}

/** How values of a type are read. */
interface DriverTypes {
  readonly getTypeParser: (oid: number, format?: string) => (text: string) => unknown
}

/** A statement for the driver. With a name, the server prepares it once per connection. */
export interface DriverQuery {
  readonly name?: string
  readonly text: string
  readonly values?: Array<SqlValue | boolean | ReadonlyArray<SqlValue | boolean>>
  readonly types?: DriverTypes
}

/** A notice or warning of the server. */
export interface DriverNotice {
  readonly code?: string | undefined
  readonly message?: string | undefined
}

/** Called once with the result of a statement, or with the error. */
export type DriverCallback = (error: unknown, result?: DriverResult) => void

/** A client of the package `pg`, as far as the adapter uses it. */
export interface DriverClient {
  /** Whether it sends statements without waiting for the results of those before. */
  readonly pipeline?: boolean
  query(query: DriverQuery, callback: DriverCallback): unknown
  on(event: "error" | "end", listener: () => void): unknown
  on(event: "notice", listener: (notice: DriverNotice) => void): unknown
  removeListener(event: "error" | "end", listener: () => void): unknown
  removeListener(event: "notice", listener: (notice: DriverNotice) => void): unknown
  /** What it writes to, if it is a socket. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void; destroy?(): unknown } }
  /** Whether the database runs in this process, so that the connection cannot be lost. */
  readonly isInProcess?: true
}

/** A client that the adapter opens itself. */
export interface OwnDriverClient extends DriverClient {
  connect(): Promise<unknown>
  end(): Promise<void>
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void; destroy(): unknown } }
}

/** A client of a pool, which takes it back. */
export interface PooledDriverClient extends DriverClient {
  release(destroy?: Error | boolean): void
}

/** A `Pool` of the package `pg`, as far as the adapter uses it. */
export interface PostgresPool {
  connect(): Promise<PooledDriverClient>
}

const number = (text: string): number => Number(text)
const boolean = (text: string): boolean => text === "t"
// A single statement on a client of the host application has the `bytea_output` of that.
const bytes = (text: string): Uint8Array => (text.startsWith("\\x") ? bytesOfHex(text, 2) : bytesOfEscapes(text))
const bytesOfEscapes = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/\\[0-7]{3}|\\\\|[^\\]/g) ?? [], (part) =>
    part.length === 4 ? Number.parseInt(part.slice(1), 8) : part.charCodeAt(0)
  )
const same = (text: string): string => text

const parsers = new Map<number, (text: string) => unknown>([
  [16, boolean],
  [17, bytes],
  [20, number],
  [21, number],
  [23, number],
  [26, number]
])

/** Reads values in one way, whatever the host application has set for the driver. */
export const types: DriverTypes = { getTypeParser: (oid) => parsers.get(oid) ?? same }
