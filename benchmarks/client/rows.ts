import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { RowGroup } from "../Bench.ts"
import { petstore, startServer } from "../http/ServerProcess.ts"
import { makeShop } from "../http/Shop.ts"
import { clientCore, onCore } from "../machine/cores.ts"
import { nextMessage } from "../machine/nextMessage.ts"
import { rowOf } from "../report/Row.ts"

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
    const results: ReadonlyArray<Array<number>> = sides.map(() => [])
    try {
      await Promise.all(children.map(({ child, name }) => nextMessage(child, name)))
      for (let round = 0; round <= (isQuick ? 3 : 15); round++) {
        for (const [index, { child, name }] of children.entries()) {
          const measured = nextMessage(child, name)
          child.send(round === 0 ? 5_000 : 2_000)
          const micros = Number(await measured)
          // The first round warms up.
          if (round > 0) results[index]?.push(micros)
        }
      }
    } finally {
      for (const { child } of children) child.kill("SIGKILL")
      await server.stop()
    }
    const [ours = [], ...others] = results
    return others.map((peer, index) =>
      rowOf({
        row: "client library, 16 at a time",
        unit: "µs of CPU",
        peerName: sides[index + 1]?.name ?? "",
        ours,
        peer,
        target: index === 0 ? { atMost: 1.5 } : undefined
      })
    )
  }
}

export const clientRows: ReadonlyArray<RowGroup> = [reading]
