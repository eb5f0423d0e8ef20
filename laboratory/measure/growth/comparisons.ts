import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { furnish, placeOrders } from "../../load/furnish.ts"
import type { Comparison, Side } from "../Comparison.ts"
import { command } from "../http/ServerProcess.ts"
import { processSide } from "../inProcess/processSide.ts"
import { runOnce } from "../inProcess/runOnce.ts"

const side = processSide(new URL("contenders.ts", import.meta.url))
const folder = (shared: string): string => shared

const growing = (does: string, call: string): Comparison => ({
  does,
  sides: [
    side("ours", `${call}, many`, { folder }),
    side("by hand", `${call} by hand, many`, { folder }),
    side("10⁴", `${call}, few`, { folder })
  ],
  why: "pages"
})

const orders = 100_000

/** `petstore verify`, of which there is nothing to compare with. */
const verifying: Side = {
  name: "ours",
  open: async (context) => {
    const file = join(context.folder, "verify.db")
    await using petstore = await furnish(await createPetstore({ storage: sqlite(file) }))
    await placeOrders(petstore, context.isQuick ? 1_000 : orders)
    return { turn: () => runOnce([command, "verify", "--storage", `sqlite:${file}`], context), close: async () => {} }
  }
}

export const growthComparisons: ReadonlyArray<Comparison> = [
  growing("get one of 10⁶ pets", "get"),
  growing("order one of 10⁶ pets", "order"),
  {
    does: "search by words, 10⁴ pets",
    sides: [side("ours", "search", { folder }), side("by hand", "search by hand", { folder })],
    why: "layers"
  },
  { does: "verify 100,000 orders", sides: [verifying], figures: ["time", "memory"], warmUp: 0, rounds: 2 }
]
