import { initial } from "./0001_initial.ts"
import { hostCalls } from "./0002_host_calls.ts"
import { checkpoints } from "./0003_checkpoints.ts"
import { consumers } from "./0004_consumers.ts"
import { messageQueue } from "./0005_message_queue.ts"
import { webhooks } from "./0006_webhooks.ts"
import { orderOwners } from "./0007_order_owners.ts"
import { deletedWebhooks } from "./0008_deleted_webhooks.ts"
import { traces } from "./0009_traces.ts"
import { messageTraces } from "./0010_message_traces.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  /** The SHA-256 of `sql`, written down since no synchronous one is in every runtime. */
  readonly checksum: string
  /**
   * Programs that know the steps up to this number can work on the schema after this step, so that servers are updated one
   * after the other. A step that they cannot work with has its own number.
   */
  readonly compatibleWith: number
}

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  {
    id: 1,
    name: "initial",
    sql: initial,
    checksum: "66beae083aa55183a44655577713f943dc901fb58c62ace10355bafde0e1bc65",
    compatibleWith: 1
  },
  {
    id: 2,
    name: "host calls",
    sql: hostCalls,
    checksum: "4a216025fa6bd92837148b10c75bb66f80b66f66b5aea2957398e1f8ce16c6ad",
    compatibleWith: 1
  },
  {
    id: 3,
    name: "checkpoints",
    sql: checkpoints,
    checksum: "25319cd35a9151fd22d9510072b0be729abe1d9bcaaf5a75ebe5ed175b6d7299",
    compatibleWith: 1
  },
  {
    id: 4,
    name: "consumers",
    sql: consumers,
    checksum: "d1dd7089bcf4fdd4a49855e00f697fed6bb3ff9eecdf284bc18eacfe4ba00dcb",
    compatibleWith: 1
  },
  {
    id: 5,
    name: "message queue",
    sql: messageQueue,
    checksum: "74404c62b23e8d29cb9c5a54a67c0df8e51eee9808dd6b37ef710796367d8907",
    compatibleWith: 1
  },
  {
    id: 6,
    name: "webhooks",
    sql: webhooks,
    checksum: "3a7b04c7f44993d95a97a6a502f9559d62626b9dfa3e1784389e9b6928a6b64f",
    compatibleWith: 1
  },
  {
    id: 7,
    name: "order owners",
    sql: orderOwners,
    checksum: "4c4b2454ee2147bf7f56a979fa4563bfa2eb5cfd60db978d7d4730045f7c14a9",
    compatibleWith: 1
  },
  {
    id: 8,
    name: "deleted webhooks",
    sql: deletedWebhooks,
    checksum: "05989bffe65ab735f9274f0d9db2f9001207e18d6bbeb98274a0ca3feb28012d",
    compatibleWith: 1
  },
  {
    id: 9,
    name: "traces",
    sql: traces,
    checksum: "1f42da3ebf76e767298ad780a7be2a7c53dc97983204621093ec4a9d2a0ef82d",
    compatibleWith: 1
  },
  {
    id: 10,
    name: "message traces",
    sql: messageTraces,
    checksum: "3b249f91e4df49b69284e49323adf86589d09b21aed2288efa0a95f978271a4b",
    compatibleWith: 1
  }
]
