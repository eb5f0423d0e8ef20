import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const consumers = "packages/core/src/runtime/consumers"
const holders = `${consumers}/LeaseHolders.ts`
const loop = `${consumers}/ConsumerLoop.ts`
const eventWindow = `${consumers}/EventWindow.ts`

export const consumersOfEvents: Subject = {
  name: "consumers",
  suite: {
    tests: [
      `${consumers}/Consumers.test.ts`,
      `${consumers}/{ConsumerClaims,concurrentConsumers}.test.ts`,
      `${consumers}/LeaseHolders.int.test.ts`
    ],
    // This one takes long.
    names: "^(?!.*given any subjects, durations and failures)",
    packages: corePackages
  },
  guards: [
    [holders, `@\${machine.replaceAll(".", "\\\\.")}\\\\.(\\\\d+)-`, "@.*\\\\.(\\\\d+)-"],
    [
      holders,
      "if (status === undefined) return hasNoProcess(process, Number(other))",
      "if (status === undefined) return true"
    ],
    [`${consumers}/runConsumer.ts`, "Math.min(after ?? latest, latest)", "after ?? latest"],
    [eventWindow, "headOnly ? 1 : this.reach", "this.reach"],
    [eventWindow, "headOnly ? 1 : this.reach", "headOnly ? 1 : this.entries.length"],
    [loop, "if (!this.isDraining()) this.startAll(window, start)", "this.startAll(window, start)"]
  ]
}
