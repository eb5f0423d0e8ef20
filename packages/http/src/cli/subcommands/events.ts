import type { Event, EventType } from "@petstore/core/domain"
import { Petstore } from "@petstore/core/effect"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { ConnectionLost } from "../../client/ClientErrors.ts"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { readSetting } from "../Setting.ts"
import type { Database } from "../settings.ts"
import * as settings from "../settings.ts"
import { StopSignal } from "../stopSignal.ts"
import { outputWidth, partsOf, plain, printable, type Style, style } from "../terminal/text.ts"

interface TailInput {
  readonly database: Database
  /** The position to continue after. Default: new events only. */
  readonly after: Option.Option<number>
  /** Default: every type. */
  readonly types: Option.Option<ReadonlyArray<EventType>>
  /** Default: every resource. */
  readonly subject: Option.Option<string>
  /** Of a remote petstore, to read from instead of the database. */
  readonly url: string | undefined
  readonly json: boolean
}

/** Columns of a fixed width, so that the lines of a live output are aligned. The longest type has 18 characters. */
const widths = { seq: 8, type: 19, subject: 16 }

/** By what happened: the last part of the type. */
const colours: Readonly<Record<string, Parameters<Style>[0]>> = {
  created: "green",
  placed: "green",
  queued: "green",
  completed: "blue",
  delivered: "blue",
  deleted: "red",
  revoked: "red",
  cancelled: "red",
  failed: "red"
}

/** The data of an event without its id, which the subject shows. */
const detailsOf = ({ data }: Event): string => {
  const rest = Object.entries(data).filter(([name]) => name !== "id")
  return rest.length === 0 ? "" : printable(JSON.stringify(Object.fromEntries(rest)))
}

/** A text, cut if it is wider than the room for it. */
const fitted = (text: string, room: number): string => {
  // No character of a text without Cc and Cf is wider than two columns.
  if (2 * text.length <= room || CliOutput.displayWidth(text) <= room) return text
  // Only the beginning is looked at: a message may be long.
  return room < 2 ? "" : `${partsOf(text.slice(0, 4 * room), room - 1)[0] ?? ""}…`
}

/** One line for an event: position, time in UTC, type, subject and data, cut to a width in columns. */
export const toLine = (event: Event, apply: Style, width: number): string => {
  const { seq, subject, timestamp, type } = event
  const position = String(seq).padStart(widths.seq)
  const time = timestamp.slice(0, 19).replace("T", " ")
  const start = `${position}  ${time}  ${type.padEnd(widths.type)} ${subject.padEnd(widths.subject)} `
  const room = Math.max(0, width - start.length)
  const details = detailsOf(event)
  const shown = fitted(details, room)
  const colour = colours[type.split(".")[1] ?? ""] ?? "cyan"
  return [
    apply("dim", `${position}  ${time}`),
    `  ${apply(colour, type)}${" ".repeat(Math.max(0, widths.type - type.length))} `,
    `${subject.padEnd(widths.subject)} `,
    apply("dim", shown)
  ]
    .join("")
    .trimEnd()
}

/** Waits while the reader of the output is slower than the log. */
const drained: Effect.Effect<void> = Effect.callback((resume) => {
  if (!process.stdout.writableNeedDrain) return resume(Effect.void)
  const done = () => resume(Effect.void)
  process.stdout.once("drain", done)
  return Effect.sync(() => process.stdout.off("drain", done))
})

/** Keeps the process alive: following the log does not. */
const staysAlive = Effect.acquireRelease(
  Effect.sync(() => setInterval(() => {}, 2 ** 30)),
  (timer) => Effect.sync(() => clearInterval(timer))
)

/** The events of a petstore over HTTP. */
const remoteEvents = (baseUrl: string) =>
  Effect.gen(function* () {
    const key = yield* readSetting(settings.remoteKey)
    if (key === undefined) {
      return yield* new UsageError({
        message: "Set PETSTORE_KEY to an API key with a scope such as events:read for --url"
      })
    }
    // Loaded only if it is used.
    const { HttpPetstore } = yield* Effect.promise(() => import("../../client/HttpPetstore.ts"))
    const context = yield* Layer.build(HttpPetstore.layer({ baseUrl, key }))
    return Context.get(context, HttpPetstore).events
  })

const databaseEvents = (database: Database) =>
  Effect.map(Layer.build(openExisting(database)), (context) => Context.get(context, Petstore).events)

/** Prints events as they are committed, by whichever process, until a signal comes. */
export const tail = ({ after, database, json, subject, types, url }: TailInput) =>
  Effect.gen(function* () {
    const styled = yield* style
    const apply = json ? plain : styled
    const printed = (event: Event) =>
      Effect.andThen(Console.log(json ? JSON.stringify(event) : toLine(event, apply, outputWidth())), drained)
    const query = {
      ...(Option.isSome(after) ? { after: after.value } : {}),
      ...(Option.isSome(types) ? { types: types.value } : {}),
      ...(Option.isSome(subject) ? { subject: subject.value } : {})
    }
    const stop = yield* StopSignal
    yield* staysAlive
    const print = Effect.gen(function* () {
      if (url === undefined) {
        yield* Stream.runForEach((yield* databaseEvents(database)).stream(query), printed)
      } else {
        yield* Stream.runForEach((yield* remoteEvents(url)).stream(query), printed).pipe(
          Effect.mapError((error) =>
            error instanceof ConnectionLost
              ? new SubcommandFailed({ message: `Cannot reach a petstore at ${new URL(url).origin}` })
              : error
          )
        )
      }
    })
    yield* Effect.raceFirst(print, Effect.asVoid(stop))
  }).pipe(Effect.scoped)
