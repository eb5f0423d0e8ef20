import { setTimeout as sleep } from "node:timers/promises"
import { PetstoreError } from "@petstore/core"
import { reasons } from "../../../packages/adapters/test/support/reasons.ts"

/** The codes of a store whose connections fail, after which the documentation recommends to repeat a call with its key. */
const transient = ["commit_unknown", "storage_busy", "storage_unavailable", "idempotency_in_progress"]

/** What the error of a call contains whose connection was lost, unlike one that has waited for a connection for too long. */
const lostConnection = /ECONNRESET|EPIPE|terminated/

/** Milliseconds for which a client repeats a call. */
const patience = 15_000

/** A call that was rejected. */
export interface Rejection {
  readonly step: string
  readonly code: string
  readonly text: string
}

/** Makes calls as the documentation recommends, and keeps what they are rejected with. */
export class ShopClient {
  readonly rejections: Array<Rejection> = []
  /** The steps that were acknowledged. */
  readonly acknowledged = new Set<string>()

  /** Makes a call once. Returns whether it was acknowledged, or else the code of its error. */
  async once(step: string, call: () => Promise<unknown>): Promise<true | string> {
    try {
      await call()
      this.acknowledged.add(step)
      return true
    } catch (error) {
      const code = error instanceof PetstoreError ? error.code : "untyped"
      this.rejections.push({ step, code, text: reasons(error) })
      return code
    }
  }

  /** Repeats a call until it is acknowledged, or rejected for good. */
  async call<A>(step: string, call: () => Promise<A>): Promise<A | undefined> {
    const end = performance.now() + patience
    let result: A | undefined
    const act = async () => {
      result = await call()
    }
    while (true) {
      const done = await this.once(step, act)
      if (done === true || !transient.includes(done) || performance.now() > end) return result
      await sleep(20)
    }
  }

  /** The code of the last rejection of a step that was not acknowledged. */
  codeOf(step: string): string | undefined {
    return this.acknowledged.has(step) ? undefined : this.rejections.findLast((one) => one.step === step)?.code
  }

  /** What is wrong with codes: one that has nothing to do with the network, or a COMMIT that is not unknown. */
  findings(isCutInCommit: boolean): ReadonlyArray<string> {
    return this.rejections.flatMap(({ code, step, text }) => {
      if (!transient.includes(code)) return [`code: ${step} ${code} ${text}`]
      const isExpected = code === "commit_unknown" || step === "open" || !lostConnection.test(text)
      return isCutInCommit && !isExpected ? [`cut COMMIT: ${step} ${code} ${text}`] : []
    })
  }
}
