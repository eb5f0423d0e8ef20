import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { postgresOptions } from "../packages/adapters/src/postgres/PostgresOptions.ts"
import { sqliteOptions } from "../packages/adapters/src/sqlite/SqliteOptions.ts"
import { consumeOptions } from "../packages/core/src/petstore/effectConsumers.ts"
import { deliveryOptions } from "../packages/core/src/runtime/messages/MessageDelivery.ts"
import { transactionOptions } from "../packages/core/src/runtime/transactions/Transactions.ts"
import * as settings from "../packages/http/src/cli/settings.ts"
import { clientOptions } from "../packages/http/src/client/ClientOptions.ts"
import { handlerOptions, serveOptions } from "../packages/http/src/server/options.ts"
import { webhookSenderOptions } from "../packages/http/src/webhooks/WebhookSenderOptions.ts"

const root = join(import.meta.dirname, "..")

interface Row {
  readonly schema: unknown
  readonly default?: unknown
  readonly sentence?: string
}

/** A default as docstrings write it. */
const written = (value: unknown): string => {
  if (typeof value === "number" && value >= 2 ** 14 && value % 1024 === 0) return `${value / 1024} KiB`
  return String(value).replace("millis", "milliseconds")
}

/** The docstring of a property of the interfaces with a name like this, as one line without backticks. */
const docsOf = (file: string, holder: string, name: string): string | undefined => {
  const source = readFileSync(join(root, file), "utf8")
  const members = [...source.matchAll(new RegExp(`interface \\w*${holder}\\b[^]*?\\n}`, "g"))].join("")
  // Not one that is only forbidden beside another one.
  const at = members.search(new RegExp(`\\n {2}(?:readonly )?${name}\\??[:(](?! never)`))
  if (at < 0) return undefined
  const docs = members.slice(members.lastIndexOf("/**", at), at)
  return docs
    .replace(/\n\s*\*\s/g, " ")
    .replace(/\/\*\*\s*|\s*\*\/|`/g, "")
    .trim()
}

const tables: ReadonlyArray<readonly [file: string, holder: string, rows: Readonly<Record<string, Row>>]> = [
  ["packages/http/src/server/options.ts", "HandlerOptions", handlerOptions],
  ["packages/http/src/client/ClientOptions.ts", "ClientOptions", clientOptions],
  ["packages/http/src/webhooks/WebhookSenderOptions.ts", "WebhookSenderOptions", webhookSenderOptions],
  ["packages/adapters/src/sqlite/SqliteOptions.ts", "Options", sqliteOptions],
  ["packages/adapters/src/postgres/PostgresOptions.ts", "Options", postgresOptions],
  ["packages/core/src/runtime/messages/MessageDelivery.ts", "MessageDeliveryOptions", deliveryOptions],
  ["packages/core/src/runtime/transactions/Transactions.ts", "TransactionOptions", transactionOptions],
  ["packages/core/src/petstore/ConsumerMethods.ts", "ConsumeSettings", consumeOptions],
  [
    "packages/http/src/server/options.ts",
    "ServeOptions",
    Object.fromEntries(Object.entries(serveOptions).filter(([name]) => !(name in handlerOptions)))
  ]
]

const { connectTimeout, groups, lockTimeout, replica, schema, statementTimeout, storageTimeout, tablePrefix } = settings

/** Options of adapters, and the flags that set them. */
const flags: ReadonlyArray<readonly [option: Row, flag: { readonly default: string; readonly description: string }]> = [
  [sqliteOptions.tablePrefix, tablePrefix],
  [postgresOptions.schema, schema],
  [postgresOptions.lockTimeout, lockTimeout],
  [postgresOptions.statementTimeout, statementTimeout],
  [postgresOptions.timeout, storageTimeout],
  [postgresOptions.connectTimeout, connectTimeout],
  [postgresOptions.groups, groups],
  [postgresOptions.replica, replica]
]

describe("given a flag that sets an option of an adapter", () => {
  for (const [option, flag] of flags) {
    it(`then it has the default and the sentence of the option: ${option.sentence}`, () => {
      assert.strictEqual(flag.default, String(option.default ?? "none"))
      assert.isTrue(flag.description.startsWith(option.sentence ?? assert.fail()), flag.description)
    })
  }
})

describe("given the options of a function", () => {
  for (const [file, holder, rows] of tables) {
    for (const [name, { default: value, sentence }] of Object.entries(rows)) {
      if (value === undefined && sentence === undefined) continue
      it(`then the docstring of ${holder}.${name} has its default and its sentence`, () => {
        const docs = docsOf(file, holder, name) ?? assert.fail(`${holder} has no docstring for ${name}`)
        const [, shown] = /Default: ([^\s:;]+(?: (?:KiB|(?:milli)?seconds?|minutes?|hours?))?)/.exec(docs) ?? []
        if (value !== undefined && value !== "")
          assert.strictEqual(shown?.replace(/,(?=\d)|[.,]$/g, ""), written(value), docs)
        if (sentence !== undefined) assert.isTrue(docs.startsWith(sentence), `${docs} does not begin with: ${sentence}`)
      })
    }
  }
})
