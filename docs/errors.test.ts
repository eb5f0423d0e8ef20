import { readFile } from "node:fs/promises"
import { catalogue } from "@petstore/core/domain"
import { assert, it } from "vitest"

it("docs/errors.md lists the codes, statuses and classes of the error catalogue", async () => {
  const text = await readFile(new URL("./errors.md", import.meta.url), "utf8")
  const listed = [...text.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, code, status, name]) =>
    [code, Number(status), name].join(" ")
  )
  const known = Object.entries(catalogue).map(([code, Known]) => [code, Known.status, Known.name].join(" "))
  assert.sameMembers(listed, known)
})
