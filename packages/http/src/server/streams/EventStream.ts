import type { Event, EventType } from "@petstore/core/domain"
import type { LogFollower } from "@petstore/core/runtime"
import * as Exit from "effect/Exit"
import type { ResponseStream, StreamSink } from "../HttpResponse.ts"
import { framesOf, heartbeat, opening, positionFrame } from "./frames.ts"
import type { Pulse, RunEffect } from "./Pulse.ts"

/** How many bytes a client may be behind before nothing more is read for it. */
const bufferLimitBytes = 32 * 1024

/** Sends events to one client as Server-Sent Events. A client that reads slowly is sent the log at its pace. */
export class EventStream implements ResponseStream {
  private readonly follower: LogFollower<EventType, unknown>
  private readonly runEffect: RunEffect
  private readonly onEnd: () => void
  private readonly measure: (work: () => void) => void
  private sink: StreamSink | undefined
  private sentPosition: number
  private isReading = false
  private isEnded = false
  /** When the client has last taken bytes or had none to take, and when it was last sent some, in milliseconds. */
  private takenAt = 0
  private sentAt = 0
  private written = 0
  private taken = 0
  /** Whether something was sent since the last look. */
  private isActive = true
  private isStuck = false
  /** What it waits for between two sendings, if it does not send each commit at once. */
  private readonly pulse: Pulse | undefined
  private hasSent = false

  /** `onEnd`: called once when it no longer needs its follower. `measure`: counts the time of its work to the caller. */
  constructor(
    follower: LogFollower<EventType, unknown>,
    runEffect: RunEffect,
    onEnd: () => void,
    measure: (work: () => void) => void,
    pulse?: Pulse
  ) {
    this.pulse = pulse
    this.measure = measure
    this.follower = follower
    this.runEffect = runEffect
    this.onEnd = onEnd
    this.sentPosition = follower.start
  }

  readonly open = (sink: StreamSink): void => {
    // The server may have closed it before the response was made.
    if (this.isEnded) sink.end()
    else {
      this.sink = sink
      this.write(opening)
      this.resume()
    }
  }

  readonly cancel = (): void => {
    if (this.isEnded) return
    this.isEnded = true
    this.sink = undefined
    this.onEnd()
  }

  /** Ends the response; the client may connect again. */
  readonly end = (): void => {
    const { sink } = this
    this.cancel()
    sink?.end()
  }

  /**
   * Sends a heartbeat if one is due, moves the position of the client, and cuts a client that does not read.
   * `now` and the durations are in milliseconds.
   */
  tend(now: number, heartbeatInterval: number, stallTimeout: number): void {
    const { sink } = this
    if (sink === undefined) return
    const pending = sink.pending()
    const taken = this.written - pending
    const hasTaken = pending === 0 || taken > this.taken
    this.taken = taken
    if (hasTaken || this.takenAt === 0) this.takenAt = now
    else if (now - this.takenAt >= stallTimeout) {
      this.cancel()
      sink.cut()
      return
    }
    // Middleware of the host application may drop the function that is called when the client has taken bytes.
    if (pending <= bufferLimitBytes) this.onDrain()
    if (this.isStuck) return
    if (!this.isReading && this.follower.position > this.sentPosition) this.sendPosition()
    if (this.isActive) this.sentAt = now
    else if (now - this.sentAt >= heartbeatInterval) {
      this.sentAt = now
      this.write(heartbeat)
    }
    this.isActive = false
  }

  private sendPosition(): void {
    this.sentPosition = this.follower.position
    this.write(positionFrame(this.sentPosition))
  }

  /** Sends what there is, and waits for more, or for the client to read. */
  private readonly resume = (): void => this.measure(this.sendAll)

  private readonly sendAll = (): void => {
    const { follower } = this
    while (this.sink !== undefined) {
      if (this.sink.pending() > bufferLimitBytes) {
        this.isStuck = true
        this.sink.onDrain(this.onDrain)
        return
      }
      const page = follower.take()
      if (page.length > 0) this.send(page)
      else if (follower.isClosed) this.end()
      else if (follower.mustRead) {
        this.read()
        return
      } else {
        this.waitForMore()
        return
      }
    }
  }

  private waitForMore(): void {
    const { follower, hasSent, pulse } = this
    this.hasSent = false
    // What is committed until then is sent together.
    if (pulse !== undefined && hasSent) pulse.next(this.resume)
    else follower.onMore(this.resume)
  }

  private readonly onDrain = (): void => {
    if (!this.isStuck) return
    this.isStuck = false
    this.resume()
  }

  private read(): void {
    this.isReading = true
    this.runEffect(this.follower.read, (exit) => {
      this.isReading = false
      // The client connects again, and gets the error as a response.
      if (Exit.isFailure(exit)) return this.end()
      this.measure(() => {
        this.send(exit.value)
        this.sendAll()
      })
    })
  }

  /** Sends a page, or the first part of a long one: the rest is taken again, so that a client that does not read holds little. */
  private send(page: ReadonlyArray<Event>): void {
    if (page.length === 0) return
    this.hasSent = true
    const { bytes, count } = framesOf(page)
    const last = page[count - 1]?.seq ?? this.sentPosition
    this.write(bytes)
    this.sentPosition = last
    if (count < page.length) this.follower.rewind(last)
  }

  private write(bytes: Uint8Array): void {
    this.sink?.write(bytes)
    this.written += bytes.length
    this.isActive = true
  }
}
