import { createHash } from "node:crypto"
import { InternalError, PreconditionFailed } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { Answer } from "../Answer.ts"
import type { Exchange } from "../Exchange.ts"
import { matchesStrongly, matchesWeakly, parseEntityTags } from "../request/entityTags.ts"
import { type ContentCoding, compress, preferredCoding, worthCompressing } from "../response/contentCoding.ts"
import { errorAnswer } from "../response/errorAnswer.ts"
import type { Route } from "./Route.ts"
import type { StaticFile } from "./StaticFile.ts"

/** What is sent for a file: as it is, or compressed. Each has a strong entity tag of its own, since its bytes differ. */
interface Representation {
  readonly tag: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

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

/** A file with its representations; each is made once, when it is first asked for. */
interface LoadedFile extends StaticFile {
  readonly compressible: boolean
  readonly as: (coding: ContentCoding | undefined) => Promise<Representation>
}

const loadedFile = (file: StaticFile, compressed: boolean): LoadedFile => {
  const hash = createHash("sha256").update(file.text).digest("base64url").slice(0, 22)
  const encoded = (coding: ContentCoding) =>
    once(async () => ({ tag: `"${hash}-${coding}"`, body: await compress(coding, file.text, "small") }))
  const encodings = { br: encoded("br"), gzip: encoded("gzip") } satisfies Readonly<Record<ContentCoding, unknown>>
  const plain = Promise.resolve({ tag: `"${hash}"`, body: file.text })
  return {
    ...file,
    compressible: compressed && file.text.length >= worthCompressing,
    as: (coding) => (coding === undefined ? plain : encodings[coding]())
  }
}

const answer = async (file: LoadedFile, exchange: Exchange): Promise<Answer> => {
  const { headers: own = [], type } = file
  const { headers } = exchange
  const compressible = file.compressible && exchange.incoming.canEncode
  const coding = compressible ? preferredCoding(exchange.acceptEncoding) : undefined
  const { body, tag } = await file.as(coding)
  const required = exchange.header("if-match")
  const expected = required === undefined ? undefined : parseEntityTags(required)
  if (expected !== undefined && !matchesStrongly(expected, tag)) return errorAnswer(new PreconditionFailed({}), headers)
  headers.push("ETag", tag, "Cache-Control", "no-cache", "X-Content-Type-Options", "nosniff", ...own)
  if (compressible) headers.push("Vary", "Accept-Encoding")
  const sent = exchange.header("if-none-match")
  const known = sent === undefined ? undefined : parseEntityTags(sent)
  if (known !== undefined && matchesWeakly(known, tag)) return { status: 304, headers, body: "" }
  if (coding !== undefined) headers.push("Content-Encoding", coding)
  headers.push("Content-Type", type)
  return { status: 200, headers, body }
}

/** Answers a file, which is made when it is first asked for. */
export const staticAnswer = (load: () => Promise<StaticFile>, compressed: boolean): Route["run"] => {
  const file = once(async () => loadedFile(await load(), compressed))
  return (exchange) =>
    Effect.tryPromise({
      try: async () => answer(await file(), exchange),
      catch: (cause) => new InternalError({}, { cause })
    })
}

/** The route of a file. `compressed`: for clients that accept it. */
export const staticRoute = (name: string, load: () => Promise<StaticFile>, compressed: boolean): Route => ({
  name,
  always: true,
  run: staticAnswer(load, compressed)
})
