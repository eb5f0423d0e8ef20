import { signal } from "@preact/signals"
import { ApiError } from "../api/ApiError.ts"
import { get } from "../api/request.ts"
import { mayFollow } from "../api/scopes.ts"
import { base } from "../api/server.ts"
import { authorization, loseSession, session } from "../api/session.ts"
import type { StoredEvent } from "./event.ts"
import { countEvents, countFrom } from "./eventCounts.ts"

type StreamState = "off" | "connecting" | "live" | "asleep"
export const streamState = signal<StreamState>("off")
/** The latest events, the newest first. */
export const recent = signal<ReadonlyArray<StoredEvent>>([])
const kept = 500

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
  countEvents(events)
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
  countFrom(last[0])
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
    const response = await fetch(`${base}/events/stream?after=${position}&interval=100`, {
      headers: authorization(),
      signal: abort.signal,
      cache: "no-store",
      credentials: "same-origin"
    })
    if (response.status === 401) return loseSession()
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
  if (mayFollow.value) void connect()
}

const stopStream = (): void => {
  connection?.abort()
  connection = undefined
  position = 0
  recent.value = []
  streamState.value = "off"
}
session.subscribe((now) => (now === undefined ? stopStream() : startStream()))

/** Milliseconds for which the stream of a hidden page stays open: people look at another tab and come back. */
const asleepAfter = 5_000

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
    }, asleepAfter)
  } else if (streamState.value === "asleep") startStream()
})
