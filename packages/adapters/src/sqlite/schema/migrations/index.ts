import { createHash } from "node:crypto"
import { initial } from "./0001_initial.ts"
import { boundedLists } from "./0002_bounded_lists.ts"
import { hostCalls } from "./0003_host_calls.ts"
import { imports } from "./0004_imports.ts"
import { writeCheck } from "./0005_write_check.ts"
import { accessLog } from "./0006_access_log.ts"
import { restore } from "./0007_restore.ts"
import { checkpoints } from "./0008_checkpoints.ts"
import { consumers } from "./0009_consumers.ts"
import { messageQueue } from "./0010_message_queue.ts"
import { webhooks } from "./0011_webhooks.ts"
import { eventForms } from "./0012_event_forms.ts"
import { orderOwners } from "./0013_order_owners.ts"
import { deletedWebhooks } from "./0014_deleted_webhooks.ts"
import { traces } from "./0015_traces.ts"
import { messageTraces } from "./0016_message_traces.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

const migration = (id: number, name: string, sql: string): Migration => ({
  id,
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex")
})

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  migration(1, "initial", initial),
  migration(2, "bounded lists", boundedLists),
  migration(3, "host calls", hostCalls),
  migration(4, "imports", imports),
  migration(5, "write check", writeCheck),
  migration(6, "access log", accessLog),
  migration(7, "restore", restore),
  migration(8, "checkpoints", checkpoints),
  migration(9, "consumers", consumers),
  migration(10, "message queue", messageQueue),
  migration(11, "webhooks", webhooks),
  migration(12, "event forms", eventForms),
  migration(13, "order owners", orderOwners),
  migration(14, "deleted webhooks", deletedWebhooks),
  migration(15, "traces", traces),
  migration(16, "message traces", messageTraces)
]
