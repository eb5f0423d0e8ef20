import { readFile } from "node:fs/promises"
import * as client from "@petstore/http/client"
import { assert, it } from "vitest"

it("docs/client.md lists the codes, statuses and classes of the client's own errors", async () => {
  const text = await readFile(new URL("./client.md", import.meta.url), "utf8")
  const listed = [...text.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, code, status, name]) =>
    [code, Number(status), name].join(" ")
  )
  const own = Object.values(client).flatMap((value) =>
    "code" in value && "status" in value ? [[value.code, value.status, value.name].join(" ")] : []
  )
  assert.sameMembers(listed, own)
})
