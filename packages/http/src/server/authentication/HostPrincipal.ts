import type { IncomingMessage } from "node:http"
import type { Scope } from "@petstore/core/domain"

/** A request as its host knows it: of node:http where `node` was called, of the Fetch standard where `fetch` was. */
export type HostRequest = IncomingMessage | Request

/** Who asks, as the host knows. */
export interface HostPrincipal {
  /** The name in the stock ledger, such as `user:7`, and whose rate limit counts; 1 to 200 characters. */
  readonly actor: string
  /**
   * Whose idempotency keys count where several actors share theirs, such as the number of a company. If absent, each actor
   * has their own.
   */
  readonly accountId?: number
  /** What they may do. */
  readonly scopes: ReadonlyArray<Scope>
}
