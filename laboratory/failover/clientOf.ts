import type { PetstoreApi } from "@petstore/core"
import { createClient } from "@petstore/http/client"
import type { AppServer } from "./AppServer.ts"
import { adminKey } from "./messages.ts"

/** A client that waits long enough to see how long a server takes, and leaves retries to its caller. */
export const clientOf = ({ url }: AppServer): PetstoreApi =>
  createClient({ baseUrl: `${url}/v1`, key: adminKey, retries: 0, timeout: 60_000 })
