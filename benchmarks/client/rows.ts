import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { RowGroup } from "../Bench.ts"
import { petstore, startServer } from "../http/ServerProcess.ts"
import { makeShop } from "../http/Shop.ts"
import { clientCore, onCore } from "../machine/cores.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { rowOf } from "../report/Row.ts"
import { takeTurns } from "../turns.ts"

const workspace = fileURLToPath(new URL("../../", import.meta.url))
const program = fileURLToPath(new URL("program.ts", import.meta.url))

/** The processor time of the client for one read, with 16 at a time. */
const reading: RowGroup = {
  name: "client",
  measure: async (context) => {
    const { before, folder, isQuick } = context
    const shop = await makeShop(folder, 1_000)
    const server = await startServer(petstore(), shop, folder, {})
    const sides = [
      { name: "ours", kind: "library", root: workspace },
      { name: "fetch", kind: "fetch", root: workspace },
      ...(before === undefined ? [] : [{ name: "before", kind: "library", root: before }])
    ]
    const children = sides.map(({ kind, name, root }) => ({
      name,
      child: fork(program, [kind, root, String(server.port), shop.key], {
        ...onCore(clientCore),
        env: { ...process.env, NODE_OPTIONS: "" }
      })
    }))
    const read = async ({ child, name }: (typeof children)[number], calls: number): Promise<number> => {
      const measured = nextMessage(child, name)
      child.send(calls)
      return Number(await measured)
    }
    const measure = async () => {
      await Promise.all(children.map(({ child, name }) => nextMessage(child, name)))
      for (const child of children) await read(child, 5_000)
      return takeTurns(
        isQuick ? 3 : 15,
        children.map((child) => () => read(child, 2_000))
      )
    }
    const { disturbed, results } = await measure().finally(async () => {
      for (const { child } of children) child.kill("SIGKILL")
      await server.stop()
    })
    const [ours = [], ...others] = results
    return others.map((peer, index) =>
      rowOf({
        row: "client library, 16 at a time",
        unit: "µs of CPU",
        peerName: sides[index + 1]?.name ?? "",
        ours,
        peer,
        target: index === 0 ? { atMost: 1.5 } : undefined,
        disturbed
      })
    )
  }
}

export const clientRows: ReadonlyArray<RowGroup> = [reading]
