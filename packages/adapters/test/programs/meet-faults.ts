// Runs a scenario again and again, in which a system call or a statement fails: it opens a store, places orders, makes
// checkpoints and a backup, verifies and closes. Takes a request of one line for each run, and writes what was acknowledged,
// what was rejected, and a summary. It handles only what a petstore rejects with, so that anything else ends it.
import { writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { createPetstore, type Petstore, PetstoreError } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FailingCalls } from "../../../../laboratory/faults/calls/FailingCalls.ts"
import { FailingStatements } from "../../../../laboratory/faults/calls/FailingStatements.ts"
import type { ScenarioRequest, ScenarioSummary } from "../../../../laboratory/faults/calls/Scenario.ts"
import { hasher } from "../../src/hasher.ts"
import { openStore } from "../../src/sqlite/store.ts"
import { reasons } from "../support/reasons.ts"

const calls = new FailingCalls(process.env.FAILING_CALLS_CONTROL ?? "")
const statements = new FailingStatements()

const say = (...words: ReadonlyArray<string | number>): void => void writeSync(1, `${words.join(" ")}\n`)

/** Does something of another process, in which nothing fails. */
const elsewhere = <A>(act: () => A): A => {
  calls.pause()
  statements.pause()
  try {
    return act()
  } finally {
    calls.resume()
    statements.resume()
  }
}

/** Whether a call succeeds. Reports what it rejects with. */
const attempt = async (step: string, call: () => Promise<unknown>): Promise<boolean> => {
  try {
    await call()
    return true
  } catch (error) {
    const code = error instanceof PetstoreError ? error.code : "untyped"
    say("rejected", step, code, reasons(error).replaceAll("\n", " "))
    return false
  }
}

/** Makes a second attempt, as a client does, if the first one fails. */
const twice = async (step: string, call: (attempt: number) => Promise<unknown>): Promise<boolean> =>
  (await attempt(step, () => call(1))) || (await attempt(`${step}-again`, () => call(2)))

/** A petstore, and what moves its log into the file, which the store itself does after thousands of pages. */
interface Opened {
  readonly petstore: Petstore
  readonly checkpoint: () => void
}

const open = async (file: string): Promise<Opened> => {
  let checkpoint = (): void => {}
  const layer = Layer.effect(
    Storage,
    Effect.map(openStore({ file, lockTimeout: 100 }), ({ store, writer }) => {
      checkpoint = () => {
        try {
          writer.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()
        } catch {
          // It is made again.
        }
      }
      return store
    })
  )
  const petstore = await createPetstore({ storage: { name: "sqlite", layer, hasher } })
  return { petstore, checkpoint }
}

/** Another connection has the lock for a while, so that the store enters the queue for it. */
const holdLock = async (file: string): Promise<void> => {
  const other = elsewhere(() => new DatabaseSync(file))
  elsewhere(() => {
    try {
      other.exec("BEGIN IMMEDIATE")
    } catch {
      // The store has it, or the file is not there.
    }
  })
  await setTimeout(3)
  elsewhere(() => other.close())
}

const scenario = async (folder: string): Promise<void> => {
  const file = join(folder, "petstore.db")
  let opened: Opened | undefined
  await twice("open", async () => {
    opened = await open(file)
  })
  if (opened === undefined) return
  const { checkpoint, petstore } = opened
  const key = (text: string) => ({ idempotencyKey: text })
  const isStocked =
    (await twice("category", () => petstore.categories.create({ name: "Dogs" }, key("category")))) &&
    (await twice("pet", () => petstore.pets.create({ name: "Rex", categoryId: 1 }, key("pet")))) &&
    (await twice("stock", () => petstore.inventory.set(1, 1000)))
  const place = async (quantity: number): Promise<void> => {
    await petstore.orders.place({ petId: 1, quantity }, key(`order-${quantity}`))
    say("acknowledged", quantity)
  }
  const caller = async (first: number): Promise<void> => {
    for (let quantity = first; quantity < first + 5; quantity++) {
      await attempt(`order:${quantity}`, () => place(quantity))
      if (quantity % 10 === 3) checkpoint()
    }
  }
  if (isStocked) {
    const holding = holdLock(file)
    await Promise.all([1, 6, 11, 16].map(caller))
    await holding
    await twice("backup", (number) => petstore.backup(join(folder, `backup-${number}.db`)))
    await twice("verify", async () => {
      const { checks, ok } = await petstore.verify()
      if (!ok) say("violated", JSON.stringify(checks.filter(({ violations }) => violations > 0)))
    })
    await twice("order:21", () => place(21))
  }
  await attempt("close", () => petstore.close())
}

for await (const line of createInterface({ input: process.stdin })) {
  const { fault, folder }: ScenarioRequest = JSON.parse(line)
  const openBefore = calls.openFiles
  statements.onFailure = (sql) => say("failing", sql)
  calls.start(fault?.of === "call" ? fault : undefined)
  statements.start(fault?.of === "statement" ? fault : undefined)
  await scenario(folder)
  // What the store may have left to do after it was closed.
  await setTimeout(0)
  calls.pause()
  statements.pause()
  const openFiles = calls.openFiles - openBefore
  const summary: ScenarioSummary =
    fault === undefined ? { calls: calls.list, statements: statements.list, openFiles } : { openFiles }
  say("ended", JSON.stringify(summary))
}
