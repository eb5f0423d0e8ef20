import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { inject } from "vitest"
import { sharedText } from "../OncePerRun.ts"

let known: Promise<string> | undefined

const find = async (): Promise<string> => {
  const own = process.env.PETSTORE_TEST_POSTGRES_URL
  if (own !== undefined && own !== "") return own
  const address: string | undefined = inject("postgres")
  if (address === undefined) {
    throw new Error("Unit tests have no PostgreSQL: name the file x.int.test.ts or x.contract.test.ts.")
  }
  return sharedText(address)
}

/** The URL of the server that the tests of this run share, as a user who may create databases. */
export const sharedServer: Effect.Effect<string> = Effect.promise(() => (known ??= find()))

const withClient = async <A>(url: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client(url)
  // The query reports it. Without a listener, a connection that another test ends would end this process.
  client.on("error", () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Runs one statement on a connection of its own and returns its rows. */
export const query = (url: string, text: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  withClient(url, async (client) => (await client.query(text)).rows)

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

const isWithoutSync =
  "SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS yes"

/** Servers on which copying files is the quicker way to make a database, because nothing waits for the disk. */
const copiesFiles = new Map<string, boolean>()

const createDatabase = (url: string, name: string, template: string): Promise<void> =>
  withClient(url, async (client) => {
    if (!copiesFiles.has(url)) copiesFiles.set(url, (await client.query(isWithoutSync)).rows[0].yes)
    const strategy = copiesFiles.get(url) === true ? "STRATEGY file_copy" : ""
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`)
  })

/** Milliseconds that connections to a database have to end by themselves before it is dropped. */
const patience = 2000

/**
 * Drops a database, whoever is connected to it. Connections that were just closed, such as those of a pool, end by themselves
 * first: one that the server ends before it has read the goodbye fails in the client, where nobody listens any more.
 */
const dropDatabase = (url: string, name: string): Promise<void> =>
  withClient(url, async (client) => {
    const sessions = `SELECT FROM pg_stat_activity WHERE datname = '${name}' AND backend_type = 'client backend'`
    const end = performance.now() + patience
    while ((await client.query(sessions)).rowCount !== 0 && performance.now() < end) await setTimeout(5)
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
  })

export interface TestDatabaseOptions {
  /** The server; by default the one that the run shares. */
  readonly server?: string
  /** The URL of a database to copy, to which nobody is connected. */
  readonly template?: string
}

/** A database of its own, which is dropped with the scope, whoever is connected to it. */
export const testDatabaseOf = ({
  server,
  template
}: TestDatabaseOptions = {}): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = server ?? (yield* sharedServer)
    const name = `test_${randomUUID().replaceAll("-", "")}`
    const from = template === undefined ? "template1" : new URL(template).pathname.slice(1)
    yield* Effect.acquireRelease(
      Effect.promise(() => createDatabase(url, name, from)),
      () => Effect.promise(() => dropDatabase(url, name))
    )
    return withDatabase(url, name)
  })

/** The URL of a fresh and empty database on the server that the tests share. It is dropped with the scope. */
export const testDatabase: Effect.Effect<string, never, Scope.Scope> = testDatabaseOf()
