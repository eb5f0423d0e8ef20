import type { Table } from "@petstore/core/kernel"
import type {
  AccessChange,
  EventRecord,
  Restore,
  RestoredRows,
  RestoreStep,
  Storage,
  StorageError,
  TableName
} from "@petstore/core/ports"
import { type ApiKeyRecord, schema } from "@petstore/core/tables"
import * as Effect from "effect/Effect"

/** A store that can be copied, from or to. */
export type WholeStore = Storage["Service"] & { readonly restore: Restore }

/** Records of one part. They have no type here, because a loop over all parts cannot know it. */
export type Records = ReadonlyArray<unknown>

/** A part of a store that is copied in order, such as its pets. */
export interface Part {
  readonly name: string
  /** Reads the records after a record that it has read before; the first ones without it. */
  readonly page: (store: WholeStore, after: unknown, limit: number) => Effect.Effect<Records, StorageError>
  /** How records of a page are added. */
  readonly add: (records: Records) => Pick<RestoreStep, "add" | "replay" | "save">
}

const partOf = <Name extends Exclude<TableName, "events">>(table: Name): Part => {
  // A part is given only records that it has read itself, which types cannot follow.
  const described = schema[table] as unknown as Table<unknown, never>
  const position = described.key.flatMap((name) => described.columns[name]?.read ?? [])
  return {
    name: table.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace("api", "API"),
    page: (store, after, limit) =>
      store.scan(described, after === undefined ? [] : position.map((read) => read(after)), limit),
    add: (rows) => ({ add: { table, rows } as RestoredRows })
  }
}

const events: Part = {
  name: "events",
  page: (store, after, limit) => store.events.scan((after as EventRecord | undefined)?.seq ?? 0, limit),
  add: (rows) => ({ add: { table: "events", rows: rows as ReadonlyArray<EventRecord> } })
}

export const accessLog: Part = {
  name: "access log",
  page: ({ restore }, after, limit) =>
    restore.accessLog?.scan((after as AccessChange | undefined)?.seq ?? 0, limit) ?? Effect.succeed([]),
  add: (changes) => ({ replay: changes as ReadonlyArray<AccessChange> })
}

/** Accounts and API keys that the replay of their log has made. */
const replayed: ReadonlyArray<Part> = [
  accessLog,
  { ...partOf("accounts"), add: () => ({}) },
  {
    ...partOf("apiKeys"),
    // When it was last used is not in the access log.
    add: (records) => ({
      save: (records as ReadonlyArray<ApiKeyRecord>).filter(({ key }) => key.lastUsedAt !== undefined)
    })
  }
]

/** All parts of a store, each behind those that it refers to. */
export const partsOf = (source: WholeStore, target: WholeStore): ReadonlyArray<Part> => {
  const isLogged = source.restore.accessLog !== undefined && target.restore.accessLog !== undefined
  const [accounts, apiKeys, ...tables] = (Object.keys(schema) as ReadonlyArray<keyof typeof schema>).map(partOf)
  const access = isLogged || accounts === undefined || apiKeys === undefined ? replayed : [accounts, apiKeys]
  const place = tables.findIndex(({ name }) => name === "messages")
  return [...access, ...tables.slice(0, place), events, ...tables.slice(place)]
}
