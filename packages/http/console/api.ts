import { computed, signal } from "@preact/signals"

// ---------------------------------------------------------------- where the API is

const meta = document.querySelector<HTMLMetaElement>('meta[name="petstore"]')

/** What a proxy or the app put in front of the page is in front of the API, too: the server need not know it. */
const prefix = location.pathname.replace(/\/console$/, "")
export const base = prefix + (meta?.content ?? "/v1")
export const docsUrl = `${prefix}/docs`
export const readyUrl = `${prefix}/health/ready`
export const version = meta?.dataset.version ?? ""
/** `host`: the app's own session, a cookie, says who this is, so nobody types a key. */
export const signsIn: "apiKey" | "host" = meta?.dataset.signIn === "host" ? "host" : "apiKey"

// ---------------------------------------------------------------- the session

const stored = "petstore.console.key"

/** A key in the fragment (`petstore console` prints such a link) never reaches a server, a log or the history. */
const keyOfLink = (): string | undefined => {
  const key = /^#key=([\w.~+/=-]+)$/.exec(location.hash)?.[1]
  if (key !== undefined) history.replaceState(null, "", location.pathname)
  return key
}

const key = signal<string>(keyOfLink() ?? sessionStorage.getItem(stored) ?? "")

export interface Session {
  readonly actor: string
  readonly keyId?: number
  readonly name?: string
  readonly expiresAt?: string
  readonly accountId?: number
  readonly scopes: ReadonlyArray<string>
}
export const session = signal<Session | undefined>(undefined)
export const signInError = signal<string>("")
export const readOnly = signal(localStorage.getItem("petstore.console.readOnly") === "true")

export const setReadOnly = (value: boolean): void => {
  readOnly.value = value
  localStorage.setItem("petstore.console.readOnly", String(value))
}

const writes = /:(?:write|fulfil)$|^admin$/

/** Why an action cannot be done; undefined if it can. */
export const whyNot = (...scopes: ReadonlyArray<string>): string | undefined => {
  const have = session.value?.scopes ?? []
  const missing = have.includes("admin") ? undefined : scopes.find((scope) => !have.includes(scope))
  if (missing !== undefined) return `Your key needs the scope ${missing}`
  return readOnly.value && scopes.some((scope) => writes.test(scope)) ? "Look-only is on" : undefined
}
export const mayRead = (scope: string): boolean => {
  const have = session.value?.scopes ?? []
  return have.includes("admin") || have.includes(scope)
}
export const isAdmin = computed(() => session.value?.scopes.includes("admin") ?? false)

// ---------------------------------------------------------------- requests

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

type Query = Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number> | undefined>>

export interface Call {
  readonly query?: Query
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  /** Sent with a key of its own: if the outcome is unknown, the call is repeated with it, and counts once. */
  readonly idempotent?: boolean
  readonly signal?: AbortSignal
}

export interface Answer<A> {
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

const authorization = (): Record<string, string> => (key.value === "" ? {} : { authorization: `Bearer ${key.value}` })

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

/** What says nothing about the outcome, or that the same call is still being carried out. */
const isOpen = ({ status }: Response): boolean => status === 409 || status === 502 || status === 503 || status === 504

const send = async (method: string, path: string, options: Call): Promise<Response> => {
  if (options.idempotent !== true) return sendOnce(method, path, options)
  const key = newKey()
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await sendOnce(method, path, options, key)
      if (attempt === 3 || !isOpen(response)) return response
      if (
        response.status === 409 &&
        (
          await response
            .clone()
            .json()
            .catch(() => ({}))
        ).code !== "idempotency_in_progress"
      )
        return response
    } catch (error) {
      if (attempt === 3) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, attempt * 1000))
  }
}

export const call = async <A>(method: string, path: string, options: Call = {}): Promise<Answer<A>> => {
  const response = await send(method, path, options)
  if (!response.ok) {
    const error = await errorOf(response)
    if (error.status === 401 && session.value !== undefined)
      signOut("The key is no longer valid: it was revoked, or it expired.")
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

// ---------------------------------------------------------------- sign in and out

export const signIn = async (candidate?: string): Promise<void> => {
  signInError.value = ""
  if (candidate !== undefined) key.value = candidate.trim()
  if (signsIn === "apiKey" && key.value === "") return
  try {
    const { data } = await get<Session>("/session")
    if (signsIn === "apiKey") sessionStorage.setItem(stored, key.value)
    session.value = data
    startStream()
  } catch (error) {
    key.value = ""
    sessionStorage.removeItem(stored)
    if (error instanceof ApiError && error.status === 401) {
      signInError.value =
        signsIn === "host" ? "Sign in to the app first, then reload this page." : "This is not a valid API key."
    } else signInError.value = error instanceof Error ? error.message : String(error)
  }
}

export const signOut = (message = ""): void => {
  stopStream()
  key.value = ""
  sessionStorage.removeItem(stored)
  session.value = undefined
  recent.value = []
  signInError.value = message
}

// ---------------------------------------------------------------- events, live

/** What the page reads of the data of events. It shows all of it. */
export interface EventData {
  readonly id?: number | string
  readonly categoryId?: number
  readonly name?: string
  readonly version?: number
  readonly petId?: number
  readonly quantity?: number
  readonly available?: number
  readonly reserved?: number
  readonly complete?: boolean
  readonly shipDate?: string
  readonly status?: string
  readonly previous?: string
  readonly message?: string
}

export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly seq: number
  readonly subject: string
  readonly data: EventData
}

export type StreamState = "off" | "connecting" | "live" | "asleep"
export const streamState = signal<StreamState>("off")
/** The latest events, the newest first. */
export const recent = signal<ReadonlyArray<StoredEvent>>([])
const kept = 500

export const families = ["order", "inventory", "pet", "message", "webhook"] as const
export type Family = (typeof families)[number]
export const familyOf = (type: string): Family => {
  const first = type.slice(0, type.indexOf("."))
  return (families as ReadonlyArray<string>).includes(first) ? (first as Family) : "pet"
}

/** How many events of each family came in each of the last seconds; the last one is now. */
export const windowSeconds = 184
export const counts: Record<Family, Array<number>> = Object.fromEntries(
  families.map((family) => [family, new Array(windowSeconds).fill(0)])
) as Record<Family, Array<number>>
/** The second from which on all events were counted: the log before was not read. */
export const knownSince = signal(Number.POSITIVE_INFINITY)
let countedSecond = Math.floor(Date.now() / 1000)

const turn = (): void => {
  const now = Math.floor(Date.now() / 1000)
  const steps = Math.min(windowSeconds, now - countedSecond)
  for (let i = 0; i < steps; i++) {
    for (const family of families) {
      counts[family].shift()
      counts[family].push(0)
    }
  }
  countedSecond = now
}

/** Grows by one each second while the page can be seen: relative times and charts follow it. */
export const clock = signal(Date.now())
setInterval(() => {
  turn()
  if (!document.hidden) clock.value = Date.now()
}, 1000)

const count = (event: StoredEvent): void => {
  const ago = Math.floor(Date.now() / 1000) - Math.floor(Date.parse(event.timestamp) / 1000)
  const at = windowSeconds - 1 - Math.max(0, ago)
  const row = counts[familyOf(event.type)]
  if (at >= 0) row[at] = (row[at] ?? 0) + 1
}

type Listener = (events: ReadonlyArray<StoredEvent>) => void
const listeners = new Set<Listener>()
export const onEvents = (listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let waiting: Array<StoredEvent> = []
let flushing: ReturnType<typeof setTimeout> | undefined
let position = 0

const flush = (): void => {
  flushing = undefined
  const events = waiting
  waiting = []
  turn()
  for (const event of events) count(event)
  recent.value = [...events.toReversed(), ...recent.value].slice(0, kept)
  for (const listener of listeners) listener(events)
}

/** Ten times a second at most, however many events come. */
const receive = (event: StoredEvent): void => {
  position = Math.max(position, event.seq)
  waiting.push(event)
  if (flushing === undefined) flushing = setTimeout(flush, 100)
}

let connection: AbortController | undefined
let delay = 1000

const readFrames = async (body: ReadableStream<Uint8Array>, alive: () => void): Promise<void> => {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    alive()
    text += value
    let end = text.indexOf("\n\n")
    while (end >= 0) {
      const frame = text.slice(0, end)
      text = text.slice(end + 2)
      end = text.indexOf("\n\n")
      let data = ""
      for (const line of frame.split("\n")) {
        if (line.startsWith("id: ")) position = Math.max(position, Number(line.slice(4)))
        else if (line.startsWith("data: ")) data += line.slice(6)
      }
      if (data !== "") receive(JSON.parse(data))
    }
  }
}

/** Shows the last events at once, and follows the log from there. Far behind, it begins anew instead of reading everything. */
const startAt = async (signal: AbortSignal): Promise<void> => {
  const { data } = await get<{ seq: number }>("/events/latest", {}, signal)
  if (position > 0 && data.seq - position <= 1000) return
  const pages = [400, 300, 200, 100].filter((back) => back - 100 < data.seq)
  const last = (
    await Promise.all(
      pages.map((back) => {
        const after = Math.max(0, data.seq - back)
        const limit = Math.min(100, data.seq - back + 100 - after)
        return get<ReadonlyArray<StoredEvent>>("/events", { after, limit }, signal)
      })
    )
  ).flatMap((page) => page.data)
  recent.value = []
  for (const family of families) counts[family].fill(0)
  const oldest = last[0]
  knownSince.value = oldest === undefined || oldest.seq === 1 ? 0 : Math.ceil(Date.parse(oldest.timestamp) / 1000)
  position = data.seq
  for (const event of last) receive(event)
}

const connect = async (): Promise<void> => {
  const abort = new AbortController()
  connection = abort
  streamState.value = "connecting"
  let silence: ReturnType<typeof setTimeout> | undefined
  const alive = (): void => {
    clearTimeout(silence)
    silence = setTimeout(() => abort.abort(), 45_000)
  }
  try {
    await startAt(abort.signal)
    const response = await fetch(`${base}/events/stream?after=${position}`, {
      headers: authorization(),
      signal: abort.signal,
      cache: "no-store",
      credentials: "same-origin"
    })
    if (response.status === 401) return signOut("The key is no longer valid: it was revoked, or it expired.")
    if (response.status === 403) {
      streamState.value = "off"
      return
    }
    if (response.ok && response.body !== null) {
      streamState.value = "live"
      delay = 1000
      alive()
      await readFrames(response.body, alive)
    }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) {
      streamState.value = "off"
      return
    }
  } finally {
    clearTimeout(silence)
  }
  if (connection !== abort) return
  streamState.value = "connecting"
  setTimeout(() => connection === abort && void connect(), delay)
  delay = Math.min(30_000, delay * 2)
}

const startStream = (): void => {
  const shows = session.value?.scopes.some(
    (scope) => scope === "admin" || scope.startsWith("events:") || scope === "orders:own"
  )
  if (shows === true) void connect()
}

const stopStream = (): void => {
  connection?.abort()
  connection = undefined
  position = 0
  streamState.value = "off"
}

// A page that nobody looks at asks for nothing.
let sleeping: ReturnType<typeof setTimeout> | undefined
document.addEventListener("visibilitychange", () => {
  clearTimeout(sleeping)
  if (document.hidden) {
    sleeping = setTimeout(() => {
      if (streamState.value === "off") return
      const last = connection
      connection = undefined
      last?.abort()
      streamState.value = "asleep"
    }, 60_000)
  } else {
    clock.value = Date.now()
    if (streamState.value === "asleep") startStream()
  }
})

// ---------------------------------------------------------------- figures

export interface Stats {
  readonly at: string
  readonly storage: string
  readonly uptime: number
  readonly transactions: {
    readonly committed: number
    readonly rejected: number
    readonly retried: number
    readonly failed: number
    readonly waiting: number
  }
  readonly commits: { readonly count: number; readonly transactions: number; readonly largest: number }
  readonly events: {
    readonly earliest: number
    readonly latest: number
    readonly subscribers: number
    readonly lag: number
  }
  readonly consumers: ReadonlyArray<{
    readonly name: string
    readonly position: number
    readonly lag: number
    readonly age: number
  }>
  readonly messages: { readonly queued: number; readonly failed: number; readonly oldestQueued: number }
  readonly reservations: { readonly overdue: number; readonly oldestOverdue: number }
  readonly webhooks: {
    readonly endpoints: ReadonlyArray<{
      readonly id: number
      readonly enabled: boolean
      readonly pending: number
      readonly failed: number
      readonly oldestPending: number
    }>
  }
}

export const stats = signal<Stats | undefined>(undefined)
export const statsError = signal<string>("")

export interface Rates {
  readonly at: number
  readonly events: number
  readonly committed: number
  readonly rejected: number
  readonly commits: number
}
/** One for each reading of the last minutes, the newest last. */
export const rates = signal<ReadonlyArray<Rates>>([])

/** Readings while the page can be seen; they end a minute after it is hidden. */
const readStats = async (): Promise<void> => {
  if (session.value === undefined || document.hidden || !mayRead("stats:read")) return
  const before = stats.value
  try {
    const { data } = await get<Stats>("/stats")
    stats.value = data
    statsError.value = ""
    if (before === undefined) return
    const seconds = (Date.parse(data.at) - Date.parse(before.at)) / 1000
    const rate = (now: number, then: number): number =>
      seconds <= 0 ? 0 : Math.max(0, now < then ? now : now - then) / seconds
    rates.value = [
      ...rates.value,
      {
        at: Date.parse(data.at) / 1000,
        events: rate(data.events.latest, before.events.latest),
        committed: rate(data.transactions.committed, before.transactions.committed),
        rejected: rate(
          data.transactions.rejected + data.transactions.failed,
          before.transactions.rejected + before.transactions.failed
        ),
        commits: rate(data.commits.count, before.commits.count)
      }
    ].slice(-90)
  } catch (error) {
    statsError.value = error instanceof Error ? error.message : String(error)
  }
}

/** How often figures are read: 2 s on a page that shows them, else 10 s, for the counts beside the names of pages. */
const often = 2_000
let wantsEvery = 10_000
export const wantFigures = (): (() => void) => {
  wantsEvery = often
  return () => {
    wantsEvery = 10_000
  }
}
let lastRead = 0
setInterval(() => {
  if (Date.now() - lastRead < wantsEvery - 50) return
  lastRead = Date.now()
  void readStats()
}, 500)

// ---------------------------------------------------------------- names of pets

export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: string
}
export const petNames = signal<ReadonlyMap<number, string>>(new Map())
const asked = new Set<number>()
let wanted: ReadonlyArray<number> = []
let asking: ReturnType<typeof setTimeout> | undefined

const askNames = (): void => {
  asking = undefined
  const ids = wanted.slice(0, 100)
  wanted = wanted.slice(100)
  if (wanted.length > 0) asking = setTimeout(askNames, 500)
  get<ReadonlyArray<Pet>>("/pets", { id: ids }).then(
    ({ data }) => {
      petNames.value = new Map([...petNames.value, ...data.map(({ id, name }) => [id, name] as const)])
    },
    () => {}
  )
}

/** Asks once for each name that is not known: those of half a second together, a hundred at a time. */
export const wantNames = (ids: ReadonlyArray<number | undefined>): void => {
  if (!mayRead("pets:read")) return
  const unknown = [...new Set(ids)].filter((id): id is number => id !== undefined && !asked.has(id))
  if (unknown.length === 0) return
  for (const id of unknown) asked.add(id)
  wanted = [...wanted, ...unknown]
  if (asking === undefined) asking = setTimeout(askNames, petNames.value.size === 0 ? 50 : 500)
}
onEvents((events) => {
  const named = events.filter(({ type }) => type === "pet.created" || type === "pet.updated")
  if (named.length === 0) return
  petNames.value = new Map([...petNames.value, ...named.map(({ data }) => [Number(data.id), data.name ?? ""] as const)])
})
