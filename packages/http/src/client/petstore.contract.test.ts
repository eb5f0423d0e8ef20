import { assert, describe, it } from "@effect/vitest"
import type { PetstoreApi } from "@petstore/core"
import { type ApiKeySource, createClient, type Fetch } from "@petstore/http/client"
import { checkInvariants, inGroups, petstoreContract, registerContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { contracts } from "../../../adapters/test/support/contracts.ts"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { keyOfCustomer, type Served, served, storagesOfFile } from "../../test/support/remote.ts"

expectLogs(clearText, "uses GET /v1/pets/{petId}")

const { memory, PostgreSQL } = storagesOfFile()

/** A client, and the petstore that it reaches over a socket. */
interface Remote extends PetstoreApi {
  readonly served: Served
  readonly connect: (key: string) => PetstoreApi
}

const afterEach = (remote: Remote) => checkInvariants(remote.served.petstore)

/** Like fetch, but that requests after a signal wait for ever: clients are not closed, and would look for the server. */
const fetchUntil =
  (closed: AbortSignal): Fetch =>
  (url, init) =>
    closed.aborted ? new Promise(() => {}) : fetch(url, init)

// Neither the server nor the client knows the storage. Where reads and commits take time, run the cases whose calls overlap, and those that
// read pages.
const groups: Readonly<Record<string, ReadonlyArray<string>>> = contracts.allOverHttp
  ? {}
  : { PostgreSQL: ["own orders", "idempotency", "races", "calls", "lists"] }

for (const [name, storage] of Object.entries({ memory, PostgreSQL })) {
  const open = Effect.map(Effect.flatMap(storage, served), (there): Remote => {
    const connect = (key: ApiKeySource) =>
      createClient({ baseUrl: there.baseUrl, key, fetch: fetchUntil(there.closed) })
    return { ...connect(there.key), connect, served: there }
  })
  const as = async ({ connect }: Remote, user: string) => connect(keyOfCustomer(user))
  const all = petstoreContract({ open, as, afterEach })
  const cases = groups[name] === undefined ? all : inGroups(all, groups[name])

  describe(`petstore over HTTP, on ${name}`, () => {
    registerContract(cases, { describe, it })

    it("skips no promise of the contract", () => {
      assert.deepStrictEqual(
        cases.filter(({ skip }) => skip !== undefined),
        []
      )
    })
  })
}
