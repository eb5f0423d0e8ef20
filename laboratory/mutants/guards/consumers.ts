import { corePackages } from "../Trial.ts"
import type { Subject } from "./Subject.ts"

const consumers = "packages/core/src/consumers"
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
    [holders, "found.start !== begun || ", ""],
    [holders, 'found.state === "Z" || found.state === "X"', "false"],
    [holders, `@\${machine.replaceAll(".", "\\\\.")}\\\\.(\\\\d+)-`, "@.*\\\\.(\\\\d+)-"],
    [
      holders,
      "if (found === undefined) return hasNoProcess(process, Number(other))",
      "if (found === undefined) return true"
    ],
    [holders, '"code" in error && error.code === "ESRCH"', "true"],
    [
      `${consumers}/ConsumerClaims.ts`,
      "isHeld(lease, now) && !(holder !== undefined && hasEnded(holder))",
      "isHeld(lease, now)"
    ],
    [`${consumers}/Consumers.ts`, "            idle: lookEvery,\n", ""],
    [`${consumers}/Consumers.ts`, "Math.min(after ?? latest, latest)", "after ?? latest"],
    [eventWindow, "if (this.running === this.concurrency) return undefined", ""],
    [eventWindow, "if (Exit.isFailure(exit)) return undefined", ""],
    [eventWindow, "!isRunning && !subjects.has(event.subject)", "!isRunning"],
    [eventWindow, "headOnly ? 1 : this.reach", "this.reach"],
    [eventWindow, "headOnly ? 1 : this.reach", "headOnly ? 1 : this.entries.length"],
    [loop, "while (!this.isDraining() || window.isRunning)", "while (!this.isDraining())"],
    [loop, "if (!this.isDraining()) this.startAll(window, start)", "this.startAll(window, start)"],
    [
      loop,
      "if (window.head === undefined && follower.position > this.claim.position)",
      "if (follower.position > this.claim.position)"
    ],
    [loop, "if (isRetry && elapsedOn(this.clock) < this.retryDue)", "if (false)"],
    [loop, "      yield* this.settle(window)\n    }).pipe(Effect.scoped)", "    }).pipe(Effect.scoped)"],
    [loop, "for (const calls of this.openCalls) calls.expire(now)", ""],
    [loop, "Math.min(wait, longestDelay * (1 + retries.jitter))", "wait"]
  ]
}
