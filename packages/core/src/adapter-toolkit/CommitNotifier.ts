import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { WatchOptions } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import { type CommitVersion, readVersion, VersionPolling } from "./VersionPolling.ts"

type Notify = (appeared?: ReadonlyArray<EventRecord>) => void

interface Subscriber {
  readonly notify: Notify
  readonly wantsEvents: boolean
}

/**
 * Notifies subscribers of commits, to implement {@link Storage.watch}: of own commits when the adapter calls
 * {@link CommitNotifier.notify}, and of those of other connections and processes by reading a version ten times a second
 * while there are subscribers.
 */
export class CommitNotifier {
  private readonly version: CommitVersion | undefined
  private readonly subscribers = new Set<Subscriber>()
  private polling: VersionPolling | undefined

  /** Omit `version` if no other connection or process commits. */
  constructor(version?: CommitVersion) {
    this.version = version
  }

  /** See {@link Storage.watch}. */
  readonly watch = (
    notify: Notify,
    { events = false }: WatchOptions = {}
  ): Effect.Effect<void, StorageError, Scope.Scope> => {
    const { version } = this
    const subscriber = { notify, wantsEvents: events }
    const begin = (poll: () => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            this.subscribers.add(subscriber)
            poll()
          }),
          () => Effect.sync(() => this.remove(subscriber))
        )
      )
    if (version === undefined) return begin(() => {})
    return Effect.flatMap(readVersion(version), (now) =>
      begin(() => {
        this.polling ??= new VersionPolling(version, now, () => this.notify())
      })
    )
  }

  /** Whether a subscriber wants the events that a commit has added. Otherwise, do not collect them. */
  get wantsEvents(): boolean {
    for (const { wantsEvents } of this.subscribers) if (wantsEvents) return true
    return false
  }

  /**
   * Notifies all subscribers. Call it after every commit of your own, with the events that it has added if {@link wantsEvents} and
   * you have them all.
   */
  readonly notify: Notify = (appeared) => {
    for (const { notify } of this.subscribers) notify(appeared)
  }

  /** Stops reading the version. A read in progress is interrupted or ignored. */
  readonly close: Effect.Effect<void> = Effect.sync(() => this.stop())

  private remove(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber)
    if (this.subscribers.size === 0) this.stop()
  }

  private stop(): void {
    this.polling?.stop()
    this.polling = undefined
  }
}
