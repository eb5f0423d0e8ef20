import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { PetstoreError } from "@petstore/core/domain"
import { Petstore } from "@petstore/core/effect"
import { VerificationProgress } from "@petstore/core/ports"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { openExisting, openOrCreate } from "../database.ts"
import { DatabaseUnreachable, SubcommandFailed, UsageError } from "../errors.ts"
import { type PostgresDatabase, placeOf } from "../PostgresUrl.ts"
import { schemaAccess } from "../postgresServer.ts"
import { isTransient, runLoad } from "../prove/load.ts"
import { type Proof, ProofLog, readProof } from "../prove/ProofLog.ts"
import { type ProofReport, reportOf, sentencesOf } from "../prove/ProofReport.ts"
import { readBack, violationsOf } from "../prove/readBack.ts"
import * as settings from "../settings.ts"
import { StopSignal } from "../stopSignal.ts"
import { Progress } from "../terminal/Progress.ts"
import { style } from "../terminal/text.ts"

/** How many calls a proof makes at most, in its whole time: each writes a row or two. */
const mostCalls = 100_000

interface ProveInput {
  readonly storage: PostgresDatabase
  readonly schema: string
  /** Of the load, in seconds. */
  readonly duration: number
  readonly clients: number
  /** Seconds to wait for the cluster after the load. */
  readonly wait: number
  readonly log: string
  /** The log of an earlier proof, to check again. */
  readonly resume: Option.Option<string>
  readonly keep: boolean
  readonly yes: boolean
  readonly json: boolean
}

const usage = <A>(read: () => A): Effect.Effect<A, UsageError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      return error instanceof UsageError ? Effect.fail(error) : Effect.die(error)
    }
  })

const databaseOf = (storage: PostgresDatabase, schema: string) => ({
  storage,
  schema,
  tablePrefix: settings.tablePrefix.default
})

const petstoreOn = (layer: ReturnType<typeof openOrCreate>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Petstore))

const createSchema = (storage: PostgresDatabase, schema: string, proof: string) =>
  Effect.filterOrFail(
    schemaAccess({ storage, schema }).create(proof),
    (isCreated) => isCreated,
    () =>
      new UsageError({
        message: `The schema ${schema} exists already at ${placeOf(storage)}; name a new one with --schema`
      })
  )

/** Creates the schema and runs the load on it. The log is complete however this ends. */
const load = ({ clients, duration, log: file, schema, storage, wait }: ProveInput) =>
  Effect.gen(function* () {
    const stop = yield* StopSignal
    const proof = `petstore-prove-${randomUUID()}`
    const log = yield* Effect.acquireRelease(
      usage(() => new ProofLog(file)),
      (opened) => Effect.sync(() => opened.close())
    )
    log.start(proof, schema)
    yield* Effect.onError(createSchema(storage, schema, proof), () => Effect.sync(() => rmSync(file)))
    const open = petstoreOn(openOrCreate(databaseOf(storage, schema)))
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
    const start = performance.now()
    yield* runLoad({
      proof,
      log,
      shops: [yield* open, yield* open],
      clients,
      seconds: duration,
      pause: (duration * 1000 * clients) / mostCalls,
      stop,
      wait,
      onProgress: ({ acknowledged, failed }) =>
        progress.show(
          `${acknowledged} acknowledged, ${failed} attempts failed`,
          Math.min(1, (performance.now() - start) / (duration * 1000))
        )
    })
    progress.clear()
  }).pipe(Effect.scoped)

const again = (file: string) => `petstore prove URL --resume ${JSON.stringify(file)} --yes`

/** What the cluster has. */
const find = ({ entries, schema }: Proof, { resume, storage }: ProveInput) =>
  Effect.gen(function* () {
    const access = schemaAccess({ storage, schema })
    const { primaries } = yield* access.durability
    const migrations = yield* access.migrations
    if (migrations.every(({ appliedAt }) => appliedAt === undefined)) {
      if (Option.isNone(resume)) return { orders: [], stocks: [], violations: [], primaries }
      return yield* new SubcommandFailed({
        message: `The schema ${schema} has no tables at ${placeOf(storage)}: this is another cluster, the proof dropped it, or everything is lost`
      })
    }
    const petIds = entries.flatMap((entry) => (entry.type === "pet" ? [entry.petId] : []))
    const petstore = yield* petstoreOn(openExisting(databaseOf(storage, schema)))
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
    const verify = petstore.verify.pipe(
      Effect.provideService(VerificationProgress, (share) => progress.show("verified", share)),
      Effect.ensuring(Effect.sync(() => progress.clear()))
    )
    return { ...(yield* readBack(petstore, petIds)), violations: violationsOf(yield* verify), primaries }
  }).pipe(Effect.scoped)

/** Judges a proof by what the cluster has as soon as it responds. */
const check = (proof: Proof, input: ProveInput, file: string) =>
  Effect.gen(function* () {
    const { wait } = input
    const violation = yield* find(proof, input).pipe(
      Effect.retry({
        while: (error) =>
          error instanceof DatabaseUnreachable || (error instanceof PetstoreError && isTransient(error)),
        schedule: Schedule.spaced("1 second")
      }),
      Effect.timeoutOption(wait * 1000)
    )
    if (Option.isSome(violation)) return reportOf(proof, violation.value)
    return yield* new SubcommandFailed({
      message: `The cluster did not respond within ${wait} seconds. When it does, run ${again(file)}`
    })
  })

/** Drops what this proof created, unless it is evidence. */
const tidy = (report: ProofReport, { proof, schema }: Proof, { keep, storage }: ProveInput, file: string) =>
  Effect.gen(function* () {
    if (!report.ok) return `What is left of the schema ${schema} is kept for you to look into. Drop it by hand.`
    if (keep) return `The schema ${schema} is kept. To check it again and drop it, run ${again(file)}`
    return (yield* schemaAccess({ storage, schema }).drop(proof))
      ? `The schema ${schema} is dropped.`
      : `The schema ${schema} is kept: this proof did not create it.`
  })

/** Runs load on a schema of its own, and reports what was acknowledged and is lost, doubled or oversold. Fails if something is. */
export const run = (input: ProveInput) =>
  Effect.gen(function* () {
    const { json, resume, schema, storage, yes } = input
    if (!yes) {
      return yield* new UsageError({
        message: `petstore prove creates the schema ${schema} at ${placeOf(storage)}, makes up to ${mostCalls} calls on it, and drops it. Add --yes if that is a cluster for tests`
      })
    }
    const file = Option.getOrElse(resume, () => input.log)
    if (Option.isNone(resume)) yield* load(input)
    const proof = yield* usage(() => readProof(file))
    const report = yield* check(proof, input, file)
    if (json) yield* Console.log(JSON.stringify({ ...report, log: file }, null, 2))
    else yield* Console.log([...sentencesOf(report), `The log is ${file}.`].join("\n"))
    const left = yield* tidy(report, proof, input, file)
    if (!json) yield* Console.log(left)
    if (!report.ok) return yield* new SubcommandFailed({})
  })
