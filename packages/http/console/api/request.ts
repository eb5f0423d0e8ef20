import { ApiError } from "./ApiError.ts"
import { base } from "./server.ts"
import { authorization, loseSession, session } from "./session.ts"

export type Query = Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number> | undefined>>

export interface Call {
  readonly query?: Query
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  /** Sent with a key of its own: if the outcome is unknown, the call is repeated with it, and counts once. */
  readonly idempotent?: boolean
  readonly signal?: AbortSignal
}

interface Answer<A> {
  readonly data: A
  readonly etag: string | undefined
  readonly total: string | undefined
  /** The cursor of the next page. */
  readonly next: string | undefined
}

const queryText = (query: Query = {}): string => {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue
    for (const one of Array.isArray(value) ? value : [value]) parts.append(name, String(one))
  }
  const text = parts.toString()
  return text === "" ? "" : `?${text}`
}

const errorOf = async (response: Response): Promise<ApiError> => {
  const body = await response.json().catch(() => undefined)
  if (typeof body?.code !== "string")
    return new ApiError(response.status, "unexpected_answer", `The server answered ${response.status}.`)
  const first = body.violations?.[0]
  const more = first === undefined ? "" : ` ${first.path ?? first.field ?? ""} ${first.message ?? ""}`
  return new ApiError(response.status, body.code, `${body.message}${more}`, body.details)
}

const sendOnce = async (
  method: string,
  path: string,
  { body, ifMatch, query, signal }: Call,
  idempotencyKey?: string
): Promise<Response> => {
  try {
    return await fetch(base + path + queryText(query), {
      method,
      headers: {
        ...authorization(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error"
    })
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new ApiError(0, "unreachable", "The server cannot be reached.")
  }
}

/** A secure context is not certain: `crypto.randomUUID` needs one. */
const newKey = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-")

/** Whether a response does not tell the outcome, or the same call is still being carried out. */
const isOpen = async (response: Response): Promise<boolean> =>
  response.status === 409
    ? (await errorOf(response.clone())).code === "idempotency_in_progress"
    : [502, 503, 504].includes(response.status)

const send = async (method: string, path: string, options: Call): Promise<Response> => {
  // An id of a link may be anything, also the way to another resource.
  if (new URL(base + path, location.href).pathname !== base + path)
    throw new ApiError(404, "not_found", "There is no such resource.")
  const key = options.idempotent === true ? newKey() : undefined
  for (let attempt = 1; ; attempt++) {
    const isLast = key === undefined || attempt === 3
    try {
      const response = await sendOnce(method, path, options, key)
      if (isLast || !(await isOpen(response))) return response
    } catch (error) {
      if (isLast || options.signal?.aborted === true) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, attempt * 1000))
  }
}

export const call = async <A>(method: string, path: string, options: Call = {}): Promise<Answer<A>> => {
  const response = await send(method, path, options)
  if (!response.ok) {
    const error = await errorOf(response)
    if (error.status === 401 && session.value !== undefined) loseSession()
    throw error
  }
  const text = await response.text()
  const link = response.headers.get("link") ?? ""
  const next = /<([^>]*)>;\s*rel="next"/.exec(link)?.[1]
  return {
    data: text === "" ? (undefined as A) : JSON.parse(text),
    etag: response.headers.get("etag") ?? undefined,
    total: response.headers.get("total-count") ?? undefined,
    next: next === undefined ? undefined : (new URL(next, location.href).searchParams.get("cursor") ?? undefined)
  }
}

export const get = <A>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer<A>> =>
  call<A>("GET", path, { ...(query === undefined ? {} : { query }), ...(signal === undefined ? {} : { signal }) })
