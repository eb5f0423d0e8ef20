import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { operationDocs } from "../openapi/operationDocs.ts"
import { operations } from "./operations.ts"

/** The methods in the process, by the first part of their use cases. */
const interfaces: Readonly<Record<string, readonly [file: string, name: string]>> = {
  orders: ["orders/Orders.ts", "OrderMethods"],
  inventory: ["inventory/Inventory.ts", "InventoryMethods"],
  pets: ["pets/Pets.ts", "PetMethods"],
  records: ["records/Records.ts", "RecordMethods"],
  webhooks: ["webhooks/Webhooks.ts", "WebhookMethods"]
}

/** They are stable in the process, and new over HTTP. */
const newOverHttp = /^(consumers|events|messages|server)\.|^inventory\.movements$/

/** The stability of a method, by its docstring or by that of its interface. */
const stabilityOf = (useCase: string): string => {
  const [subject = "", method = ""] = useCase.split(".")
  const [file, name] = interfaces[subject] ?? assert.fail(`${useCase} is in no interface that this test knows`)
  const source = readFileSync(new URL(`../../../core/src/${file}`, import.meta.url), "utf8")
  const docOf = (before: RegExp): string => source.slice(0, source.search(before)).split("/**").at(-1) ?? ""
  const docs = docOf(new RegExp(`\nexport interface ${name}\\b`)) + docOf(new RegExp(`\n {2}${method}[(<]`))
  return /@(beta|experimental)/.exec(docs)?.[1] ?? "stable"
}

describe("an operation", () => {
  for (const { id, useCase } of operations) {
    const { stability } = operationDocs[id]
    if (stability === "stable" || newOverHttp.test(useCase)) continue
    it(`given ${id}, which is ${stability}, then its method in the process says so`, () => {
      assert.strictEqual(stabilityOf(useCase), stability)
    })
  }
})
