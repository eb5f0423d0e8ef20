import { type RunCommand, Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import pg from "pg"
import type { Parameter } from "../../../src/postgres/connection/PostgresConnection.ts"
import { sessionSettings } from "../../../src/postgres/connection/settings.ts"
import { postgres } from "../../../src/postgres/postgres.ts"
import { mergeRanges } from "../../../src/postgres/statements/mergeRanges.ts"
import { PostgresSql } from "../../../src/postgres/statements/PostgresSql.ts"
import type { PostgresTransaction, Statement } from "../../../src/postgres/statements/Statement.ts"
import { EventStatements, plainEvents } from "../../../src/sql/EventStatements.ts"
import { Changed } from "../../../src/sql/Program.ts"
import { rows } from "../../../src/sql/TableStatements.ts"
import { type Asked, askedOf, listIndexes } from "../askedRows.ts"
import { session } from "./sessions.ts"
import { testDatabase } from "./testDatabase.ts"

/** A statement as the adapter sends it. */
export interface Recorded {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}

/** The statements of calls of the port, as the adapter sends them. */
export const statementsOf = (calls: (asked: Asked) => ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
  Effect.gen(function* () {
    const statements: Array<Recorded> = []
    const noted = <A>({ decode, text }: Statement<A>, values: ReadonlyArray<Parameter>): A => {
      statements.push({ text, values })
      return decode({ rows: [], count: 0, command: "" })
    }
    const transaction: PostgresTransaction = {
      execute: async (statement, values) => Exit.succeed(noted(statement, values)),
      claim: async () => Exit.succeed(true),
      division: "together",
      write: async (changes) => {
        statements.push(...changes.statements)
        return Exit.void
      }
    }
    const sql = new PostgresSql("petstore", {
      execute: (statement, values) => Effect.sync(() => noted(statement, values))
    })
    const events = new EventStatements(plainEvents).rows(sql)
    const run: RunCommand = (begin) =>
      Effect.flatten(Effect.promise(() => sql.runCommand(transaction, Context.empty(), begin)))
    const write: Asked["write"] = (writes) =>
      Effect.flatten(Effect.promise(() => sql.run(transaction, new Changed(writes))))
    yield* Effect.forEach(calls(askedOf(rows(sql, mergeRanges, events), run, write)), (call) => Effect.exit(call))
    return statements
  })

/** A step of a plan, as EXPLAIN returns it. */
interface Step {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly Plans?: ReadonlyArray<Step>
}

const numbers = (count: number) => `generate_series(1, ${count}) AS n`

/** Rows that are nearly all alike, which tempts the planner to go through all of them. */
const fill = (count: number): ReadonlyArray<string> => [
  `INSERT INTO petstore_categories (id, name, name_key, version, created_at, updated_at, deleted)
    SELECT n, 'c' || n, 'c' || n, 1, '2026', '2026', n > 2 FROM ${numbers(count)}`,
  `INSERT INTO petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement,
      created_at, updated_at, deleted)
    SELECT n, 'Rex', 1, 'available', 1, 1, 0, false, 1, 1, '2026', '2026', false FROM ${numbers(count)}`,
  `INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version, owner, created_at, updated_at)
    SELECT n, 'complete', 1, 1, '2026', 1, '7 ada', '2026', '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_records (resource, kind, id, metadata, changes, owner)
    SELECT 'orders/' || n, 'orders', n, '{"chip":"276"}', 1, '7 ada' FROM ${numbers(count)}`,
  `INSERT INTO petstore_accounts (id, name, name_key, created_at) SELECT n, 'a' || n, 'a' || n, '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_api_keys (id, account_id, name, scopes, created_at, digest, revoked)
    SELECT n, 1, 'key', '[]', '2026', decode(repeat('00', 32), 'hex'), n > 2 FROM ${numbers(count)}`,
  `INSERT INTO petstore_messages (id, message, status, created_at, attempts, fence, finished_at)
    SELECT 'msg_' || n, 'Hello', CASE n % 100 WHEN 0 THEN 'queued' ELSE 'delivered' END, '2026', 1, 1,
      CASE n % 100 WHEN 0 THEN NULL ELSE '2026' END FROM ${numbers(count)}`,
  `INSERT INTO petstore_webhooks (id, url, ordered, concurrency, enabled, created_at, secret, route, version, deleted)
    SELECT n, 'https://example.com/', false, 10, true, '2026', 'whsec_a', '{}', 1, n > 2 FROM ${numbers(count)}`,
  `INSERT INTO petstore_deliveries (id, webhook_id, seq, event_id, type, subject, status, attempts, created_at, fence,
      finished_at, next_attempt_at, lease_until)
    SELECT n, 1, n, 'evt_' || n, 'pet.deleted', 'pets/1', CASE n % 100 WHEN 0 THEN 'pending' ELSE 'delivered' END, 1, '2026', 1,
      CASE n % 100 WHEN 0 THEN NULL ELSE '2026' END, CASE n % 100 WHEN 0 THEN '2026' END,
      CASE n % 1000 WHEN 0 THEN '2026' END FROM ${numbers(count)}`,
  `INSERT INTO petstore_consumers (id, position, fence, attempts, created_at) SELECT 'c' || n, n, 1, 0, '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, actor, at)
    SELECT 1, n, 'set', 1, 0, 'owner', '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_events (seq, id, type, subject, timestamp, data) SELECT n, 'evt_' || n, 'pet.deleted', 'pets/1', '2026', '{}' FROM ${numbers(count)}`
]

const fillings = { empty: 0, small: 100, large: 20_000 }

type Size = keyof typeof fillings

const modes = ["force_generic_plan", "force_custom_plan"] as const

/** A connection to a database of that size, analyzed, with the settings of the adapter. */
const open = (size: Size) =>
  Effect.gen(function* () {
    const url = yield* testDatabase
    yield* Effect.scoped(
      Effect.flatMap(
        Layer.build(postgres(url).layer),
        (services) => Context.get(services, Storage).buildIndexes?.(listIndexes) ?? Effect.void
      )
    )
    const client = yield* session(url)
    yield* Effect.promise(async () => {
      await client.query("SET search_path = petstore")
      if (fillings[size] > 0) for (const text of fill(fillings[size])) await client.query(text)
      await client.query("VACUUM (ANALYZE)")
      await client.query("RESET search_path")
      await client.query(sessionSettings(5000, 30_000).session)
    })
    return client
  })

export class Databases extends Context.Service<Databases, Readonly<Record<Size, pg.Client>>>()("Databases") {
  static readonly layer = Layer.effect(
    Databases,
    Effect.all({ empty: open("empty"), small: open("small"), large: open("large") })
  )
}

/** The elements of an array in the binary format of PostgreSQL, as `binaryArray` writes them. */
const elementsOf = (bytes: Buffer): ReadonlyArray<string> => {
  const type = bytes.readInt32BE(8)
  let at = 20
  return Array.from({ length: bytes.readInt32BE(12) }, () => {
    const length = bytes.readInt32BE(at)
    const element = bytes.subarray(at + 4, at + 4 + Math.max(length, 0))
    at += 4 + Math.max(length, 0)
    if (length < 0) return "NULL"
    if (type === 20) return String(element.readBigInt64BE())
    if (type === 16) return String(element[0] === 1)
    return type === 17 ? `'\\x${element.toString("hex")}'` : pg.escapeLiteral(element.toString())
  })
}

const literal = (value: Parameter, type: string | undefined): string => {
  if (value === null) return "NULL"
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    return type === undefined ? `'\\x${bytes.toString("hex")}'` : `ARRAY[${elementsOf(bytes).join(", ")}]::${type}`
  }
  if (typeof value === "object") return `ARRAY[${value.map((one) => literal(one, undefined)).join(", ")}]`
  return typeof value === "string" ? pg.escapeLiteral(value) : String(value)
}

/** The plan of a prepared statement, both for these values and for any. */
const plansOf = async (client: pg.Client, { text, values }: Recorded): Promise<ReadonlyArray<Step>> => {
  const plans: Array<Step> = []
  for (const mode of modes) {
    await client.query(`SET plan_cache_mode = ${mode}`)
    await client.query(`PREPARE planned AS ${text}`)
    const list = values
      .map((value, index) => literal(value, new RegExp(`\\$${index + 1}::(\\w+\\[\\])`).exec(text)?.[1]))
      .join(", ")
    const { rows: found } = await client.query(
      `EXPLAIN (FORMAT JSON) EXECUTE planned${list === "" ? "" : ` (${list})`}`
    )
    await client.query("DEALLOCATE planned")
    plans.push(found[0]["QUERY PLAN"][0].Plan)
  }
  return plans
}

export const below = (step: Step): ReadonlyArray<Step> => [step, ...(step.Plans ?? []).flatMap(below)]

export const isScan = ({ "Node Type": type, "Relation Name": table }: Step): boolean =>
  table !== undefined && /Scan$/.test(type)

export const scansOf = (step: Step): ReadonlyArray<Step> => below(step).filter(isScan)

/** The steps that a step reads all rows of: those that are not behind a limit. */
export const readWhole = (step: Step): ReadonlyArray<Step> =>
  (step.Plans ?? []).flatMap((inner) => (inner["Node Type"] === "Limit" ? [] : [inner, ...readWhole(inner)]))

/** Checks the plans of statements in databases of all sizes. */
export const eachPlan = (statements: ReadonlyArray<Recorded>, check: (plan: Step, description: string) => void) =>
  Effect.gen(function* () {
    const databases = yield* Databases
    yield* Effect.promise(async () => {
      for (const [size, client] of Object.entries(databases)) {
        for (const statement of statements) {
          for (const plan of await plansOf(client, statement)) {
            check(plan, `${statement.text}\nin a database that is ${size}:\n${JSON.stringify(plan, undefined, 1)}`)
          }
        }
      }
    })
  })
