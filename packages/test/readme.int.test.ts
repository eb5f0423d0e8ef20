import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { run } from "./support/command.ts"
import { installedHere } from "./support/installed.ts"
import { root } from "./support/workspace.ts"

const { project } = await installedHere()

describe("given an empty project that the packages were installed into", () => {
  it("when the first program of the README runs, then it prints its result, and prints it again when it runs again", async () => {
    const shop = join(project, "shop")
    await mkdir(shop)
    const [, program = ""] = /^```ts\n(.*?)^```$/ms.exec(await readFile(join(root, "README.md"), "utf8")) ?? []
    await writeFile(join(shop, "shop.ts"), program)
    const shown = () => run(process.execPath, ["--disable-warning=ExperimentalWarning", "shop.ts"], { cwd: shop })
    assert.strictEqual(await shown(), "1 Tom sold\n")
    assert.strictEqual(await shown(), "1 Tom sold\n2 Tom sold\n")
  })
})
