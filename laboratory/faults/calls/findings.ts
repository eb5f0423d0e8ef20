import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createPetstore } from "@petstore/core"
import { sqlite } from "../../../packages/adapters/src/sqlite/index.ts"
import type { Fault } from "./Scenario.ts"
import type { ScenarioRun } from "./ScenarioProcess.ts"

/** The codes that calls of a store whose files or statements fail are rejected with. */
const codes = new Set(["storage_busy", "storage_full", "storage_unavailable", "commit_unknown"])

interface Rejection {
  readonly step: string
  readonly code: string
  readonly text: string
}

const rejectionsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Rejection> =>
  lines.flatMap((line) => {
    const [word, step = "", code = "", ...text] = line.split(" ")
    return word === "rejected" ? [{ step, code, text: text.join(" ") }] : []
  })

/** Opening and backups name the file that cannot be used or written, and why. */
const namesFile = ({ code, step, text }: Rejection): boolean =>
  code === "internal_error" && /^(open|backup)/.test(step) && /^Cannot (use|write) \//.test(text)

/** Whether verification could not read rows, which it reports. */
const isUnreadable = (line: string): boolean =>
  /^violated \[\{"name":"store_intact".*"its rows cannot be read: /.test(line)

/** What SQLite finds wrong with a file. */
const damage = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file)
  try {
    const rows = database.prepare("PRAGMA integrity_check").all()
    return rows.map(({ integrity_check }) => String(integrity_check)).filter((text) => text !== "ok")
  } catch (error) {
    return [String(error)]
  } finally {
    database.close()
  }
}

/** The quantities of all orders, which tell them apart. */
const ordersIn = async (file: string): Promise<ReadonlyArray<number>> => {
  const petstore = await createPetstore({ storage: sqlite(file) })
  try {
    const { checks, ok } = await petstore.verify()
    if (!ok) throw new Error(JSON.stringify(checks.filter(({ violations }) => violations > 0)))
    return (await petstore.orders.list({ limit: 100 })).items.flatMap(({ quantity }) => quantity ?? [])
  } finally {
    await petstore.close()
  }
}

/** What is wrong with the file that a run leaves, as another process finds it. */
const fileFindings = async (
  file: string,
  acknowledged: ReadonlyArray<number>,
  isMaybe: (order: number) => boolean
): Promise<ReadonlyArray<string>> => {
  if (!existsSync(file)) return acknowledged.length === 0 ? [] : ["the file is gone"]
  const before = damage(file).map((text) => `damaged: ${text}`)
  if (before.length > 0) return before
  try {
    const orders = await ordersIn(file)
    return [
      ...acknowledged.filter((quantity) => !orders.includes(quantity)).map((quantity) => `lost: order ${quantity}`),
      ...orders
        .filter((quantity) => !acknowledged.includes(quantity) && !isMaybe(quantity))
        .map((quantity) => `order ${quantity} was rejected, and is there`),
      ...damage(file).map((text) => `damaged after it was opened: ${text}`)
    ]
  } catch (error) {
    return [`cannot be used: ${error}`]
  }
}

/** What is wrong with a run: each text begins with what kind of fault it is. */
export const findingsOf = async (fault: Fault, run: ScenarioRun): Promise<ReadonlyArray<string>> => {
  const { end, folder, lines, summary } = run
  const acknowledged = lines.flatMap((line) => (line.startsWith("acknowledged ") ? [Number(line.slice(13))] : []))
  const rejections = rejectionsOf(lines)
  const isUnknown = ({ code }: Rejection) => code === "commit_unknown"
  const numberOf = ({ step }: Rejection) => Number(/^order:(\d+)/.exec(step)?.[1])
  const unknown = new Set(rejections.filter(isUnknown).map(numberOf))
  const settled = new Set([...rejections.map(numberOf), ...acknowledged])
  const isMaybe = (order: number) => unknown.has(order) || !settled.has(order)
  const isFinal = ({ step }: Rejection) => step.endsWith("-again") || step === "close"
  const backups = existsSync(folder) ? readdirSync(folder).filter((name) => /^backup-\d\.db$/.test(name)) : []
  return [
    ...(end === undefined ? [] : [`process ${end}`]),
    ...rejections
      .filter((rejection) => !codes.has(rejection.code) && !namesFile(rejection))
      .map(({ code, step, text }) => `code: ${step} ${code} ${text}`),
    ...(fault.persists
      ? []
      : rejections.filter(isFinal).map(({ code, step, text }) => `not healed: ${step} ${code} ${text}`)),
    ...lines.filter((line) => line.startsWith("violated ") && !isUnreadable(line)),
    ...(summary !== undefined && summary.openFiles > 0 ? [`${summary.openFiles} files are open after the end`] : []),
    ...(await fileFindings(join(folder, "petstore.db"), acknowledged, isMaybe)),
    ...backups.flatMap((name) => damage(join(folder, name)).map((text) => `the backup is damaged: ${text}`))
  ]
}
