import type { AppServer } from "./AppServer.ts"

/** An order that a caller wanted, under one idempotency key until the end. */
export interface Wish {
  readonly key: string
  readonly petId: number
  readonly server: AppServer
}

/** An acknowledged order. */
export interface Acknowledged extends Wish {
  readonly orderId: number
  /** When the attempt that was acknowledged was sent, and when its response came, as `performance.now()`. */
  readonly sentAt: number
  readonly at: number
}

/** What the callers know: every acknowledgement, refusal and failed attempt. */
export class Journal {
  readonly acknowledged: Array<Acknowledged> = []
  readonly refused: Array<Wish> = []
  /** Orders that a caller completed and was told so. */
  readonly completed = new Set<number>()
  /** Wishes that did not come to an end. */
  readonly unsettled: Array<Wish> = []
  /** Errors that no caller should see. */
  readonly unexpected: Array<string> = []
  /** Failed attempts by their code. */
  readonly failures = new Map<string, number>()
  private readonly failed: Array<{ readonly server: AppServer; readonly at: number; readonly message: string }> = []
  /** How long each attempt took, in milliseconds. */
  readonly attempts: Array<number> = []

  fail(server: AppServer, code: string, message: string): void {
    this.failures.set(code, (this.failures.get(code) ?? 0) + 1)
    this.failed.push({ server, at: performance.now(), message })
  }

  /** The last messages with which requests to a server have failed since a time, for the report of a failure. */
  failedSince(server: AppServer, since: number): ReadonlyArray<string> {
    return this.failed
      .filter((one) => one.server === server && one.at > since)
      .slice(-10)
      .map(({ at, message }) => `${((at - since) / 1000).toFixed(1)} s: ${message}`)
  }
}
