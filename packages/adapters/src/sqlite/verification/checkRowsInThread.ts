/** The program of a worker thread that checks the rows of a file: all of one committed state. */

import { parentPort, workerData } from "node:worker_threads"
import type { CheckResult } from "@petstore/core/ports"
import { VerificationProgress } from "@petstore/core/ports"
import { verifyStore } from "@petstore/core/services"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { openReader } from "../connection/open.ts"
import { SqliteSql } from "../statements/SqliteSql.ts"
import { sqliteRows } from "../statements/sqliteRows.ts"
import { temporaryLists } from "./temporaryFiles.ts"
import {
  type CheckedFile,
  lowerPriority,
  type Reply,
  type RowCheckRequest,
  type SqliteErrorInfo
} from "./workerThread.ts"

const post = (reply: Reply<ReadonlyArray<CheckResult>>): void => parentPort?.postMessage(reply)

const onShare = (share: number): void => post({ share })

const infoOf = (error: unknown): SqliteErrorInfo => {
  const { code, errcode, errstr, message }: Partial<SqliteErrorInfo> = error instanceof Error ? error : {}
  return { message: message ?? String(error), code, errcode, errstr }
}

const open = ({ file, prefix }: CheckedFile) => {
  const connection = openReader(file, { prefix })
  connection.run("BEGIN")
  // The transaction reads the state of its first read.
  connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get()
  const sql = new SqliteSql(connection)
  return { ...sqliteRows(sql), temporaryLists }
}

lowerPriority()
try {
  const store = open(workerData)
  parentPort?.on("message", ({ limits, now }: RowCheckRequest) => {
    const ahead = now - Date.now()
    const checked = verifyStore({ ...store, clockOffset: () => ahead }, limits)
    Effect.runCallback(Effect.provideService(checked, VerificationProgress, onShare), {
      onExit: (exit) => {
        if (exit._tag === "Success") {
          post({ part: exit.value })
          post({ done: true })
          return
        }
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (error === undefined) post({ defect: Cause.pretty(exit.cause) })
        else post({ error: infoOf(error.cause ?? error) })
      }
    })
  })
  post({ done: true })
} catch (error) {
  post({ error: infoOf(error) })
}
