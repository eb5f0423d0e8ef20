import { readFile } from "node:fs/promises"
import { catalogue } from "@petstore/core/domain"
import { assert, it } from "vitest"
import { errorDocs } from "../packages/http/src/api/errorDocs.ts"

it("docs/errors.md lists the codes, statuses and classes of the error catalogue, in the sentences of their pages", async () => {
  const text = await readFile(new URL("./errors.md", import.meta.url), "utf8")
  const listed = [...text.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| `(\w+)` +\| (.*) \|$/gm)].map((row) =>
    row.slice(1).join(" ")
  )
  const known = Object.entries(catalogue).map(([code, Known]) => {
    const { happened, remedy } = errorDocs[Known.code]
    return [code, Known.status, Known.name, happened, remedy].join(" ")
  })
  assert.sameMembers(listed, known)
})
