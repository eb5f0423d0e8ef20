import type { Event, EventType } from "@petstore/core/domain"
import type { Follower } from "@petstore/core/remote"
import * as Effect from "effect/Effect"
import type { ClientError } from "../ClientErrors.ts"

/** How many events are kept for a listener before nothing more is read. */
const capacity = 256

/** The events of a remote log as they arrive, for one listener or loop. */
export class RemoteFollower<T extends EventType> implements Follower<T, ClientError> {
  readonly start: number
  isClosed = false
  /** The `seq` up to which everything has arrived that is selected. */
  received: number
  private returned: number
  private queue: Array<Event<T>> = []
  private failure: ClientError | undefined
  private notify: (() => void) | undefined
  private onRoom: (() => void) | undefined

  constructor(start: number) {
    this.start = start
    this.received = start
    this.returned = start
  }

  get position(): number {
    return this.queue.length === 0 ? this.received : this.returned
  }

  get mustRead(): boolean {
    return this.failure !== undefined
  }

  readonly take = (): ReadonlyArray<Event<T>> => {
    const page = this.queue
    this.queue = []
    this.returned = this.received
    const { onRoom } = this
    this.onRoom = undefined
    onRoom?.()
    return this.isClosed ? [] : page
  }

  readonly read: Effect.Effect<ReadonlyArray<Event<T>>, ClientError> = Effect.suspend(() => {
    const { failure } = this
    if (failure === undefined) return Effect.succeed([])
    this.failure = undefined
    this.isClosed = true
    return Effect.fail(failure)
  })

  readonly next: Effect.Effect<ReadonlyArray<Event<T>>, ClientError> = Effect.suspend(() => {
    const page = this.take()
    if (page.length > 0) return Effect.succeed(page)
    if (this.mustRead) return this.read
    return this.isClosed ? Effect.never : Effect.andThen(this.more, this.next)
  })

  readonly onMore = (notify: () => void): void => {
    this.notify = notify
    if (this.queue.length > 0 || this.mustRead || this.isClosed) this.wake()
  }

  /** Adds events that have arrived, and moves the position. */
  push(events: ReadonlyArray<Event<T>>, received: number): void {
    for (const event of events) Object.freeze(Object.freeze(event).data)
    this.queue.push(...events)
    this.received = received
    if (events.length > 0) this.wake()
  }

  /** Completes when there is room for more events. */
  readonly room: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.queue.length < capacity) return resume(Effect.void)
    this.onRoom = () => resume(Effect.void)
  })

  /** Ends with an error that no further attempt would change. */
  fail(error: ClientError): void {
    this.failure = error
    this.wake()
  }

  close(): void {
    this.isClosed = true
    this.failure = undefined
    this.wake()
  }

  private readonly more: Effect.Effect<void> = Effect.callback((resume) => {
    this.onMore(() => resume(Effect.void))
    return Effect.sync(() => {
      this.notify = undefined
    })
  })

  private wake(): void {
    const { notify } = this
    this.notify = undefined
    notify?.()
  }
}
