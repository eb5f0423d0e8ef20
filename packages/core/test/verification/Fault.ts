import { assert } from "@effect/vitest"
import type { EventType } from "../../src/domain/events/Event.ts"
import type { Movement } from "../../src/domain/inventory/Movement.ts"
import type { TableName, TableRecords } from "../../src/ports/Restore.ts"
import type { AccountRecord, ApiKeyRecord } from "../../src/tables/accessTables.ts"
import type { EventRecord } from "../../src/tables/eventTable.ts"

/** Changes the rows of a table. */
export type Alter<Row> = (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>

/** What a damaged store shows in place of the rows that were written. */
export interface Damage extends DamagedTables {
  readonly problems?: ReadonlyArray<string>
  /** What this query selects. */
  readonly petIdsBy?: Alter<{ readonly id: number }>
}

type DamagedTables = { readonly [Name in TableName]?: Alter<TableRecords[Name]> }

/** The rules that are reported as violated, each with the rows that it shows. */
export type Found = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** A fault of a store, and what verification reports of it. */
export interface Fault {
  readonly given: string
  readonly damage: Damage
  /** Rules confirm each other, so some faults violate several. The first one is the rule that the fault is about. */
  readonly found: Found
}

/** Changes the rows that match. */
export const change =
  <Row>(matches: (row: Row) => boolean, changed: (row: Row) => Row): Alter<Row> =>
  (rows) =>
    rows.map((row) => (matches(row) ? changed(row) : row))

/** Changes the row with this id. */
export const changeOf = <Row extends { readonly id: number }>(id: number, changed: (row: Row) => Row): Alter<Row> =>
  change((row) => row.id === id, changed)

export const changeAccount = (id: number, fields: Partial<AccountRecord["account"]>): Alter<AccountRecord> =>
  change(
    ({ account }) => account.id === id,
    (row) => ({ ...row, account: { ...row.account, ...fields } })
  )

export const changeKey = (id: number, to: (record: ApiKeyRecord) => Partial<ApiKeyRecord>): Alter<ApiKeyRecord> =>
  change(
    ({ key }) => key.id === id,
    (record) => ({ ...record, ...to(record) })
  )

export const at =
  (petId: number, seq: number) =>
  (movement: Movement): boolean =>
    movement.petId === petId && movement.seq === seq

/** Movements of a pet in the other order: that with this seq, and the next. */
export const swapped =
  (petId: number, seq: number): Alter<Movement> =>
  (movements) => {
    const first = movements.findIndex(at(petId, seq))
    const [one, next] = movements.slice(first, first + 2)
    if (one === undefined || next === undefined) throw new Error(`There are no two such movements of pet ${petId}`)
    return [...movements.slice(0, first), { ...next, seq }, { ...one, seq: seq + 1 }, ...movements.slice(first + 2)]
  }

/** When everything in the shop happened. */
export const start = "1970-01-01T00:00:00.000Z"

/** What all movements of the shop have in common. */
export const written = (petId: number, seq: number) => ({ petId, seq, actor: "owner", at: start })

export const about =
  (subject: string, ...types: ReadonlyArray<EventType>) =>
  (event: EventRecord): boolean =>
    event.subject === subject && (types.length === 0 || types.includes(event.type))

export const at0 = (events: ReadonlyArray<EventRecord>): EventRecord => events[0] ?? assert.fail("There is no event")

/** The spread forgets that this data belongs to this type of event. */
export const withData =
  (fields: object) =>
  (event: EventRecord): EventRecord =>
    ({ ...event, data: { ...event.data, ...fields } }) as EventRecord

export const renumbered: Alter<EventRecord> = (events) => events.map((event, index) => ({ ...event, seq: index + 1 }))

export const without =
  (matches: (event: EventRecord) => boolean): Alter<EventRecord> =>
  (events) =>
    renumbered(events.filter((event) => !matches(event)))

export const again =
  (matches: (event: EventRecord) => boolean, changed: (event: EventRecord) => EventRecord = (event) => event) =>
  (events: ReadonlyArray<EventRecord>): ReadonlyArray<EventRecord> =>
    renumbered([...events, ...events.filter(matches).map(changed)])
