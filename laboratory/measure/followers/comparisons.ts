import type { Comparison } from "../Comparison.ts"
import { processSide } from "../inProcess/processSide.ts"

const side = processSide(new URL("contenders.ts", import.meta.url))

const ofNone = (what: string, contender: string): Comparison => ({
  does: `order, ${what}`,
  sides: [side("ours", contender), side("none", "none")],
  figures: ["cpu"],
  why: "follower"
})

export const followerComparisons: ReadonlyArray<Comparison> = [
  ofNone("1 consumer", "1"),
  ofNone("10 consumers", "10"),
  ofNone("100 consumers", "100"),
  ofNone("100 consumers of another type", "100 of another type"),
  ofNone("1,000 subscribers", "subscribers"),
  {
    does: "order, 1,000 HTTP streams",
    sides: [side("ours", "streams"), side("by hand", "streams by hand")],
    why: "stream",
    // Each order is a thousand events, which a turn waits for.
    seconds: 0.05,
    warmUp: 0.1
  }
]
