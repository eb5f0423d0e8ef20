import { createHash } from "node:crypto"
import { InternalError } from "@petstore/core/domain"
import { Effect } from "effect"
import type { Answer } from "./Answer.ts"
import type { Exchange } from "./Exchange.ts"
import { matchesWeakly, parseEntityTags } from "./entityTags.ts"
import type { Route } from "./Route.ts"
import type { StaticFile } from "./StaticFile.ts"

interface Tagged extends StaticFile {
  readonly tag: string
}

const tagged = (file: StaticFile): Tagged => ({
  ...file,
  tag: `"${createHash("sha256").update(file.text).digest("base64url").slice(0, 22)}"`
})

/** The same promise for every call, until it fails. */
const once = <A>(load: () => Promise<A>): (() => Promise<A>) => {
  let loaded: Promise<A> | undefined
  return () => {
    loaded ??= load().catch((cause) => {
      loaded = undefined
      throw cause
    })
    return loaded
  }
}

const answer = ({ headers: own = [], tag, text, type }: Tagged, exchange: Exchange): Answer => {
  const { headers } = exchange
  headers.push("ETag", tag, "Cache-Control", "no-cache", "X-Content-Type-Options", "nosniff", ...own)
  const sent = exchange.header("if-none-match")
  const known = sent === undefined ? undefined : parseEntityTags(sent)
  if (known !== undefined && matchesWeakly(known, tag)) return { status: 304, headers, body: "" }
  headers.push("Content-Type", type)
  return { status: 200, headers, body: text }
}

/** Answers a file, which is made when it is first asked for. */
export const staticRoute = (name: string, load: () => Promise<StaticFile>): Route => {
  const file = once(() => load().then(tagged))
  return {
    name,
    always: true,
    run: (exchange) =>
      Effect.map(Effect.tryPromise({ try: file, catch: (cause) => new InternalError({}, { cause }) }), (loaded) =>
        answer(loaded, exchange)
      )
  }
}
