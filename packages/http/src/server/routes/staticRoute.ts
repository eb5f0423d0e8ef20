import { createHash } from "node:crypto"
import { InternalError, PreconditionFailed } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { matchesStrongly, matchesWeakly, parseEntityTags } from "../request/headerValues.ts"
import { type ContentCoding, compress, preferredCoding, worthCompressingBytes } from "../response/compression.ts"
import type { Route } from "./Route.ts"

/** A text that is the same for every client. */
export interface StaticFile {
  /** The media type. */
  readonly type: string
  readonly text: string
  /** Names and values in turn, beside those of every file. */
  readonly headers?: ReadonlyArray<string>
}

/** The bytes that are sent for a file: as it is, or compressed. Each has a strong entity tag of its own, since its bytes differ. */
interface Representation {
  readonly tag: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** Returns the promise of the first call on every call, until it rejects. */
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

/** A file with its representations; each is made once, at its first request. */
interface LoadedFile extends StaticFile {
  readonly compressible: boolean
  readonly as: (coding: ContentCoding | undefined) => Promise<Representation>
}

const loadedFile = (file: StaticFile, compressed: boolean): LoadedFile => {
  const hash = createHash("sha256").update(file.text).digest("base64url").slice(0, 22)
  const encoded = (coding: ContentCoding) =>
    once(async () => ({ tag: `"${hash}-${coding}"`, body: await compress(coding, file.text, "small") }))
  const encodings = { br: encoded("br"), gzip: encoded("gzip") } satisfies Readonly<Record<ContentCoding, unknown>>
  // One copy, which all responses share while their clients read them.
  const plain = Promise.resolve({ tag: `"${hash}"`, body: Buffer.from(file.text) })
  return {
    ...file,
    compressible: compressed && file.text.length >= worthCompressingBytes,
    as: (coding) => (coding === undefined ? plain : encodings[coding]())
  }
}

const respond = async (file: LoadedFile, context: RequestContext): Promise<HttpResponse> => {
  const { headers: own = [], type } = file
  const { headers } = context
  const compressible = file.compressible && context.request.canEncode
  const coding = compressible ? preferredCoding(context.acceptEncoding) : undefined
  const { body, tag } = await file.as(coding)
  const ifMatch = context.request.header("if-match")
  const expected = ifMatch === undefined ? undefined : parseEntityTags(ifMatch)
  if (expected !== undefined && !matchesStrongly(expected, tag)) throw new PreconditionFailed({})
  headers.push("ETag", tag, "Cache-Control", "no-cache", "X-Content-Type-Options", "nosniff", ...own)
  if (compressible) headers.push("Vary", "Accept-Encoding")
  const ifNoneMatch = context.request.header("if-none-match")
  const known = ifNoneMatch === undefined ? undefined : parseEntityTags(ifNoneMatch)
  if (known !== undefined && matchesWeakly(known, tag)) return { status: 304, headers, body: "" }
  if (coding !== undefined) headers.push("Content-Encoding", coding)
  headers.push("Content-Type", type)
  return { status: 200, headers, body }
}

/** Returns a function that responds with a file, which is loaded at the first request. */
export const staticResponse = (load: () => Promise<StaticFile>, compressed: boolean): Route["run"] => {
  const file = once(async () => loadedFile(await load(), compressed))
  return (context) =>
    Effect.tryPromise({
      try: async () => respond(await file(), context),
      catch: (cause) => (cause instanceof PreconditionFailed ? cause : new InternalError({}, { cause }))
    })
}

/** With which statuses a file is served. */
export const staticSuccesses: ReadonlyArray<number> = [200, 304]

/** Serves a file. `compressed`: for clients that accept it. */
export const staticRoute = (name: string, load: () => Promise<StaticFile>, compressed: boolean): Route => ({
  name,
  kind: "page",
  successes: staticSuccesses,
  run: staticResponse(load, compressed)
})
