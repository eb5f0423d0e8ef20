import * as Effect from "effect/Effect"
import fc from "fast-check"
import { deviations } from "../../packages/http/test/support/conformance.ts"
import { populate } from "../../packages/http/test/support/sampleStore.ts"
import { type Reply, sendTo, startServer } from "../../packages/http/test/support/TestServer.ts"
import type { Lab } from "../Lab.ts"
import { type FuzzRequest, requests } from "./requests.ts"

/** A request with a response that deviates from the document. */
export interface Finding {
  readonly number: number
  readonly request: FuzzRequest
  readonly reply: string
  readonly wrong: ReadonlyArray<string>
}

export interface FuzzReport {
  readonly cases: number
  readonly findings: ReadonlyArray<Finding>
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>
  /** The number of requests by expectation. */
  readonly expectations: Readonly<Record<string, number>>
}

/** The number of requests that are generated at a time. */
const batch = 500

const judge = ({ expectation, method, operationId }: FuzzRequest, reply: Reply): ReadonlyArray<string> => [
  ...(reply.status >= 500 ? [`the server failed with ${reply.status}`] : []),
  ...(expectation === "valid" && [400, 401, 403, 405, 413].includes(reply.status)
    ? ["a valid request was rejected"]
    : []),
  ...(expectation === "invalid" && reply.status < 400 ? ["an invalid request was accepted"] : []),
  ...deviations(operationId, reply, method)
]

const count = <Key extends string | number>(counts: Record<Key, number>, key: Key): void => {
  counts[key] = (counts[key] ?? 0) + 1
}

/** Sends random requests to a new server on a store in memory. The same seed sends the same requests. */
export const fuzz = (seed: number, cases: number): Effect.Effect<FuzzReport> =>
  Effect.gen(function* () {
    const server = yield* startServer({ rateLimit: "off" })
    const { messageId } = yield* populate(server)
    const arbitrary = requests({ key: server.adminKey, messageId })
    const findings: Array<Finding> = []
    const statuses: Record<number, number> = {}
    const expectations: Record<string, number> = {}
    for (let number = 0; number < cases; ) {
      const sample = fc.sample(arbitrary, { seed: seed + number, numRuns: Math.min(batch, cases - number) })
      for (const request of sample) {
        number++
        const { body, expectation, headers, method, path } = request
        const reply = yield* sendTo(server.server.url + path, method, {
          headers,
          ...(body === undefined ? {} : { raw: body })
        })
        count(statuses, reply.status)
        count(expectations, expectation ?? "either")
        const wrong = judge(request, reply)
        if (wrong.length > 0) findings.push({ number, request, reply: `${reply.status} ${reply.text}`, wrong })
      }
    }
    return { cases, findings, statuses, expectations }
  }).pipe(Effect.scoped)

/** How many requests a server gets. */
const cases = 1_000

/** Sends random requests, each round to a new server, and compares the responses with the OpenAPI description. */
export const ask = async (lab: Lab): Promise<void> => {
  const counts: Record<string, number> = {}
  await lab.eachSeed(
    async (seed) => {
      const { expectations, findings, statuses } = await Effect.runPromise(fuzz(seed, cases))
      for (const [name, count] of Object.entries<number>({ ...expectations, ...statuses }))
        counts[name] = (counts[name] ?? 0) + count
      return findings.map((finding) => JSON.stringify(finding, null, 2))
    },
    { figures: () => JSON.stringify(counts) }
  )
}
