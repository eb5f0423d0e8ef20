import type { Rows } from "@petstore/core/ports"
import { EventStatements } from "../../sql/EventRows.ts"
import { OpenRows } from "../../sql/OpenRows.ts"
import { rows } from "../../sql/TableRows.ts"
import type { SqliteSql } from "../connection/CommittedReads.ts"
import { compactEvents } from "../events/compactEvents.ts"
import { selectSubject } from "../events/subjectIndex.ts"
import { mergeRanges } from "./mergeRanges.ts"

const events = new EventStatements(compactEvents, selectSubject)

/** The rows of transactions in libraries. */
export const openRows = new OpenRows(mergeRanges, events)

/** The rows of a store. */
export const sqliteRows = (sql: SqliteSql): Rows => rows(sql, mergeRanges, events.rows(sql))
