import type { Rows } from "@petstore/core/ports"
import { EventStatements } from "../../sql/EventStatements.ts"
import { rows } from "../../sql/TableStatements.ts"
import type { SqliteSql } from "../connection/CommittedReads.ts"
import { compactEvents } from "../events/compactEvents.ts"
import { selectSubject } from "../events/subjectIndex.ts"
import { mergeRanges } from "./mergeRanges.ts"

const events = new EventStatements(compactEvents, selectSubject)

export const sqliteRows = (sql: SqliteSql): Rows => rows(sql, mergeRanges, events.rows(sql))
