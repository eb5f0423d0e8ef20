import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { type Asker, asking, untraced } from "../ports/Direct.ts"
import { TransactionSpan } from "../ports/HostTransaction.ts"
import type { CommandName, RunCommand, Storage } from "../ports/Storage.ts"

/** What a span shows of a failure: its kind. Messages and causes may contain what users wrote. */
const failureOf = (cause: Cause.Cause<unknown>): { readonly type: string; readonly isFault: boolean } => {
  const error = Cause.squash(cause)
  if (error instanceof PetstoreError) return { type: error.code, isFault: error.status >= 500 }
  const [reason] = cause.reasons
  return { type: reason?._tag === "Fail" ? "failure" : "defect", isFault: reason?._tag !== "Fail" }
}

/** Ends a span with the outcome of its work. A rejection is an attribute; only faults of the petstore are errors. */
const endSpan = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>, clock: Clock.Clock): void => {
  const now = clock.currentTimeNanosUnsafe()
  if (Exit.isSuccess(exit)) {
    span.end(now, Exit.void)
  } else if (Cause.hasInterruptsOnly(exit.cause)) {
    span.end(now, Exit.interrupt())
  } else {
    const { isFault, type } = failureOf(exit.cause)
    span.attribute("error.type", type)
    span.end(now, isFault ? Exit.fail(faultOf(type)) : Exit.void)
  }
}

/** An error without a stack, which would show where it is made here. */
const faultOf = (type: string): Error => {
  const fault = new Error(type)
  fault.stack = type
  return fault
}

const within = <A, E, R>(
  name: string,
  options: Tracer.SpanOptions,
  use: (span: Tracer.Span) => Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    Effect.makeSpan(name, options),
    (span) => Effect.provideService(use(span), Tracer.ParentSpan, span),
    (span, exit) => Clock.clockWith((clock) => Effect.sync(() => endSpan(span, exit, clock)))
  )

/** Whether the caller has a span. Effect has a tracer by default, so without one each call would make a span that nobody exports. */
const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean => cache.span !== undefined

const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string | undefined =>
  sampled ? `00-${traceId}-${spanId}-01` : undefined

/**
 * The trace context of a caller with these services, as a `traceparent`; undefined if nothing is recorded. A command has them even if no
 * fiber runs it.
 */
export const traceparentIn = (context: Context.Context<never>): string | undefined => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span === undefined ? undefined : traceparentOf(span)
}

/** The most links of a span: collectors drop more. */
const mostLinks = 128

/** Links to these traces, each once. */
const linksTo = (traces: ReadonlyArray<string | undefined>): Array<Tracer.SpanLink> =>
  [...new Set(traces.flatMap((trace) => trace ?? []))].slice(0, mostLinks).flatMap((text) => {
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(text) ?? []
    if (traceId === undefined || spanId === undefined) return []
    return [{ span: Tracer.externalSpan({ traceId, spanId, sampled: true }), attributes: {} }]
  })

/** What background work does, for its span. */
export interface TracedWork {
  /** What is done to what: few values, such as `process messages`. */
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, string | number>>
  /** The trace contexts of the calls that caused it, to which the span has links; undefined for one that was not traced. */
  readonly causes?: ReadonlyArray<string | undefined>
}

/** Adds to the span of background work what its result shows; does nothing if it is not traced. */
interface WorkSpan {
  readonly attribute: (name: string, value: string | number) => void
  /** The trace context of the span, for what the work calls; undefined if it is not recorded. */
  readonly traceparent: string | undefined
  /** The work has come to nothing: `type` is a kind of failure, never a message. */
  readonly failed: (type: string) => void
}

const notTraced: WorkSpan = { attribute: () => {}, traceparent: undefined, failed: () => {} }

/** Whether the program with these services has a tracer. */
export const hasTracer = (context: Context.Context<never>): boolean => context.mapUnsafe.has(Tracer.Tracer.key)

const inSpan = <A, E, R>(
  { attributes, causes = [], kind, name }: TracedWork,
  root: boolean,
  work: (span: WorkSpan) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let problem: string | undefined
    return Effect.acquireUseRelease(
      Effect.makeSpan(name, { kind, root, attributes, links: linksTo(causes) }),
      (span) => {
        const failed = (type: string): void => {
          problem = type
        }
        const attribute = (key: string, value: string | number): void => span.attribute(key, value)
        return Effect.provideService(
          work({ attribute, failed, traceparent: traceparentOf(span) }),
          Tracer.ParentSpan,
          span
        )
      },
      (span, exit) =>
        Clock.clockWith((clock) =>
          Effect.sync(() => {
            if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) problem = failureOf(exit.cause).type
            if (problem === undefined) return endSpan(span, exit, clock)
            span.attribute("error.type", problem)
            span.end(clock.currentTimeNanosUnsafe(), Exit.fail(faultOf(problem)))
          })
        )
    )
  })

/**
 * Runs background work in a trace of its own, if the program has a tracer: a span that is open where the petstore was opened is
 * not its parent.
 */
export const tracedWork = <A, E, R>(
  describe: () => TracedWork,
  work: (span: WorkSpan) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => (hasTracer(context) ? inSpan(describe(), true, work) : work(notTraced)))

/** The services of a handler that background work calls, in the span of that work. */
export const withoutSpan = <R>(context: Context.Context<R>): Context.Context<R> => {
  const services = new Map(context.mapUnsafe)
  services.delete(Tracer.ParentSpan.key)
  return Context.makeUnsafe(services)
}

/** Runs a part of work that is traced in a span. */
export const tracedPart = <A, E, R>(
  describe: () => TracedWork,
  work: (span: WorkSpan) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => (isTraced(fiber) ? inSpan(describe(), false, work) : work(notTraced)))

/** Runs a use case in a span of its name, if the caller has a span: without one, nothing is traced. */
export const traced = <A, E>(name: string, body: (asker: Asker) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  untraced(body, () => {
    const asked = asking(body)
    return Effect.withFiber((fiber) => (isTraced(fiber) ? within(name, { kind: "internal" }, () => asked) : asked))
  })

/** Names of databases in the semantic conventions of OpenTelemetry, where they differ from those of the adapters. */
const systemNames: Readonly<Record<string, string>> = { postgres: "postgresql", pglite: "postgresql" }

/** The same store, whose transactions are spans if their caller has a span. `name`: the kind of store. */
export const tracedStore = (name: string, store: Storage["Service"]): Storage["Service"] => {
  const system = systemNames[name] ?? name
  const spanned = <A, E, R>(
    operation: CommandName | "transaction" = "transaction",
    transaction: Effect.Effect<A, E, R>
  ) => {
    const attributes = { "db.system.name": system, "db.operation.name": operation }
    return within(`transaction ${operation}`, { kind: "client", attributes }, (span) =>
      Effect.updateContext(transaction, (services: Context.Context<R>) => Context.add(services, TransactionSpan, span))
    )
  }
  const runCommand: RunCommand = (begin, command) =>
    untraced(
      () => store.run(begin, command),
      () =>
        Effect.withFiber((fiber) =>
          isTraced(fiber) ? spanned(command, store.run(begin, command)) : store.run(begin, command)
        )
    )
  // The operations of a store may be those of a class.
  return Object.assign(Object.create(Object.getPrototypeOf(store)), store, { run: runCommand })
}
