// The process of clients. Each message is a `Load`; the reply is its `LoadResult`.

import type { Load } from "../../load/requests.ts"
import { sendLoad } from "../../load/sendLoad.ts"

process.on("message", (load) => {
  sendLoad(load as Load, true).then(
    (result) => process.send?.(result.refusal === undefined ? { result } : { error: result.refusal }),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
process.once("disconnect", () => process.exit())
