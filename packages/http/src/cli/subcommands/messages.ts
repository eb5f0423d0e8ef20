import type { MessageStatus, MessageWithDelivery } from "@petstore/core/domain"
import { Petstore } from "@petstore/core/effect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { openExisting } from "../database.ts"
import { UsageError, withArgumentNames } from "../errors.ts"
import type { Database } from "../settings.ts"
import { secondOf, table } from "../terminal/table.ts"
import { outputWidth } from "../terminal/text.ts"

interface ListInput {
  readonly database: Database
  readonly status: Option.Option<MessageStatus>
  readonly json: boolean
}

const shownText = 60

/** The beginning of a text, in one line. */
const beginning = (text: string): string => {
  const points = [...text.replace(/\s+/gu, " ").slice(0, 2 * (shownText + 1))]
  return points.length > shownText ? `${points.slice(0, shownText - 1).join("")}…` : points.join("")
}

/** What comes next, or how it ended. */
const outcomeOf = ({ deliveredAt, failedAt, nextAttemptAt, status }: MessageWithDelivery): string => {
  if (status === "delivered") return secondOf(deliveredAt)
  if (status === "failed") return secondOf(failedAt)
  return nextAttemptAt === undefined ? "-" : `next attempt ${secondOf(nextAttemptAt)}`
}

/** A table of messages of at most a width, in characters. */
const toTable = (messages: ReadonlyArray<MessageWithDelivery>, width: number): string =>
  table(
    [
      ["id", "status", "attempts", "when", "message", "last error"],
      ...messages.map((message) => [
        message.id,
        message.status,
        String(message.attempts ?? 0),
        outcomeOf(message),
        beginning(message.message),
        message.lastError === undefined ? "-" : beginning(message.lastError)
      ])
    ],
    width
  )

/** Prints messages, oldest first. */
export const list = ({ database, json, status }: ListInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const filter = Option.match(status, { onNone: () => ({}), onSome: (one) => ({ status: one }) })
    const messages = yield* Stream.runCollect(petstore.messages.all({ ...filter, limit: 100 }))
    yield* Console.log(json ? JSON.stringify(messages, null, 2) : toTable(messages, outputWidth()))
  }).pipe(Effect.provide(openExisting(database)))

interface RequeueInput {
  readonly database: Database
  readonly ids: ReadonlyArray<string>
  readonly all: boolean
}

/** Queues messages again, and prints the id of each. */
export const requeue = ({ all, database, ids }: RequeueInput) =>
  Effect.gen(function* () {
    if (all === ids.length > 0) {
      return yield* new UsageError({ message: "Give either the ids of messages or --all" })
    }
    yield* Effect.gen(function* () {
      const { messages } = yield* Petstore
      const requeueOne = (id: string) =>
        Effect.andThen(withArgumentNames({ messageId: "ID" })(messages.requeue(id)), Console.log(id))
      if (all) {
        // Messages that fail meanwhile are left.
        const failed = yield* Stream.runCollect(messages.all({ status: "failed", limit: 100 }))
        yield* Effect.forEach(failed, ({ id }) => requeueOne(id), { discard: true })
        yield* Console.error(failed.length === 0 ? "No message has failed." : `${failed.length} message(s) are queued.`)
      } else yield* Effect.forEach(ids, requeueOne, { discard: true })
    }).pipe(Effect.provide(openExisting(database)))
  })
