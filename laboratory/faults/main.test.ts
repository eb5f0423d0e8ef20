import { assert, it } from "vitest"
import { Lab } from "../Lab.ts"
import { inTime, sampled } from "./main.ts"

const faults = Array.from({ length: 20 }, (_, index) => index)
const asked = (line: { readonly seed: number; readonly rounds?: number; readonly minutes?: number }) =>
  new Lab("faults", { rounds: 100_000 }, line, {})

it("given a number of rounds, then the faults are spread, and another seed has other ones", () => {
  assert.deepStrictEqual(sampled(faults, asked({ seed: 3 })), faults)
  assert.deepStrictEqual(sampled(faults, asked({ seed: 3, rounds: 4 })), [3, 8, 13, 18])
  assert.deepStrictEqual(sampled(faults, asked({ seed: 4, rounds: 4 })), [4, 9, 14, 19])
})

it("given a limit of time, then the faults follow from one that the seed gives, until the time is over", () => {
  const lab = asked({ seed: 18, minutes: 1 })
  const [first, second, third, ...others] = sampled(faults, lab)
  assert.deepStrictEqual([first, second, third, others.length], [18, 19, 0, 17])
  let isOver = false
  const chosen = inTime(sampled(faults, lab), {
    get isOver() {
      return isOver
    }
  })
  assert.deepStrictEqual([chosen.next().value, chosen.next().value], [18, 19])
  isOver = true
  assert.isTrue(chosen.next().done)
})
