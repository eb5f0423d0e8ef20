import { limits, MethodNotAllowed, MethodNotImplemented, NotFound, valuesOf } from "@petstore/core/domain"
import { Reservations, type Runtime } from "@petstore/core/runtime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { operations } from "../../api/operations.ts"
import { authentication } from "../authentication/authentication.ts"
import { handlersOf } from "../Handlers.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import { StreamShares } from "../limits/StreamShares.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import { metricsRoute } from "../metrics/metricsRoute.ts"
import { type HandlerOptions, handlerOptions } from "../options.ts"
import type { RequestContext } from "../RequestContext.ts"
import { Compression } from "../response/compression.ts"
import { EventStreams } from "../streams/EventStreams.ts"
import { consoleRoutes } from "./consolePage.ts"
import { errorPageRoutes } from "./errorPages.ts"
import { type OperationDependencies, operationRoute } from "./operationRoute.ts"
import { type PublicPaths, publicPaths, refuseAmbiguousMount } from "./PublicPaths.ts"
import { liveProbe, readyProbe } from "./probes.ts"
import { publishedDocuments } from "./publishedDocument.ts"
import type { Route } from "./Route.ts"
import { referencePageRoutes } from "./referencePage.ts"
import { rootRoute } from "./rootRoute.ts"

/** The methods of RFC 9110 and RFC 5789. */
const knownMethods: ReadonlySet<string> = new Set([
  "CONNECT",
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
  "TRACE"
])

/** The values at one path, by method. */
interface Resource<A> {
  readonly methods: ReadonlyMap<string, A>
  /** For the `Allow` header. */
  readonly allow: ReadonlyArray<string>
}

/** The resource at a path, and the values of the parameters in the path, in their order. */
export interface Match<A> {
  readonly resource: Resource<A>
  readonly values: ReadonlyArray<string>
}

interface Node<A> {
  readonly literals: Map<string, Node<A>>
  parameter: Node<A> | undefined
  readonly methods: Map<string, A>
  resource: Resource<A> | undefined
}

const emptyNode = <A>(): Node<A> => ({
  literals: new Map(),
  parameter: undefined,
  methods: new Map(),
  resource: undefined
})

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const none: ReadonlyArray<string> = []

/** Methods, with HEAD if there is GET, and OPTIONS, which is everywhere. */
const withImplied = (methods: Iterable<string>): ReadonlyArray<string> =>
  [...methods, "OPTIONS"].flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).sort()

/**
 * Finds the resource at a path. Case matters, and so does every slash. Percent-encoded segments are decoded; one that cannot be
 * decoded is compared as it is.
 */
export class Router<A> {
  private readonly root = emptyNode<A>()
  private readonly fixed = new Map<string, Match<A>>()
  private readonly methods = new Set<string>()

  /** Adds a value at a path, in which a segment that begins with a colon is a parameter. Throws if there is one already. */
  add(method: string, path: string, value: A): void {
    const segments = path.split("/").slice(1)
    let node = this.root
    for (const segment of segments) {
      if (segment.startsWith(":")) {
        node.parameter ??= emptyNode()
        node = node.parameter
      } else {
        const next: Node<A> = node.literals.get(segment) ?? emptyNode()
        node.literals.set(segment, next)
        node = next
      }
    }
    if (node.methods.has(method)) throw new TypeError(`There are two operations at ${method} ${path}`)
    node.methods.set(method, value)
    this.methods.add(method)
    const allow = withImplied(node.methods.keys())
    node.resource = { methods: node.methods, allow }
    if (!segments.some((segment) => segment.startsWith(":"))) {
      this.fixed.set(path, { resource: node.resource, values: none })
    }
  }

  /** The methods that there are at any path, for the `Allow` header. */
  get allow(): ReadonlyArray<string> {
    return withImplied(this.methods)
  }

  /** Returns the resource at a path without a query. */
  find(path: string): Match<A> | undefined {
    return this.fixed.get(path) ?? this.walk(path)
  }

  private walk(path: string): Match<A> | undefined {
    if (!path.startsWith("/")) return undefined
    const values: Array<string> = []
    let node = this.root
    let start = 1
    while (start <= path.length) {
      const slash = path.indexOf("/", start)
      const end = slash === -1 ? path.length : slash
      const sent = path.slice(start, end)
      const segment = sent.includes("%") ? decode(sent) : sent
      const literal = node.literals.get(segment)
      if (literal !== undefined) {
        node = literal
      } else if (node.parameter !== undefined && segment !== "") {
        values.push(segment)
        node = node.parameter
      } else {
        return undefined
      }
      start = end + 1
    }
    return node.resource === undefined ? undefined : { resource: node.resource, values }
  }
}

/** The path and the query of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
const pathAndQuery = (target: string): string =>
  target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/^(?!\/)/, "/")

const operationDependencies = (
  runtime: Context.Context<Runtime>,
  options: HandlerOptions,
  paths: PublicPaths,
  shares: WorkShares
): OperationDependencies => {
  const { bodyLimit, compression, rateLimit, serveAfterSunset, streamLimit, streamsPerKey } = valuesOf(
    handlerOptions,
    options
  )
  const clock = Context.get(runtime, Clock.Clock)
  const authenticate = authentication(runtime, options)
  return {
    authenticate,
    shares,
    streams: new EventStreams(
      runtime,
      options.authenticate === undefined
        ? { authenticate, interval: 500, isByHeader: true }
        : { authenticate, interval: 5_000, isByHeader: false },
      {
        ofPages: new StreamShares({ ofServer: streamLimit, ofCaller: streamsPerKey }),
        ofPrograms: new StreamShares({ ofServer: streamLimit, ofCaller: streamsPerKey })
      },
      shares
    ),
    handlerOf: handlersOf(runtime, { adminOutsideStore: options.adminKey !== undefined }),
    rateLimiter: rateLimit === "off" ? undefined : new RateLimiter(rateLimit, clock),
    clock,
    paths,
    bodyLimit,
    serveAfterSunset,
    compression: compression ? new Compression() : undefined,
    onDeprecatedUse: (deprecated, callerId) => {
      deprecated.count(callerId, runtime)
      const warning = deprecated.warning(callerId, clock.currentTimeMillisUnsafe())
      if (warning !== undefined) Effect.runForkWith(runtime)(Effect.logWarning(warning))
    }
  }
}

/** All routes of a server: the operations, the health checks, and the pages that describe the API. */
export class RouteTable {
  readonly paths: PublicPaths
  /** What is served. */
  readonly all: ReadonlyArray<Route>
  private readonly router = new Router<Route>()
  private readonly mountPath: string
  /** Where clients find what there is. */
  private readonly guidance: string
  private readonly probes: ReadonlySet<string>
  private readonly streams: EventStreams

  /** Throws a TypeError for invalid options. `isClosing`: whether the server stops, so that it is not ready. */
  constructor(
    runtime: Context.Context<Runtime>,
    options: HandlerOptions,
    isClosing: () => boolean,
    shares: WorkShares
  ) {
    const { basePath, compression, console, metrics, mountPath } = valuesOf(handlerOptions, options)
    const paths = publicPaths(mountPath, basePath)
    const dependencies = operationDependencies(runtime, options, paths, shares)
    this.paths = paths
    this.mountPath = mountPath
    this.guidance = `The operations are under ${paths.base || "/"}, and ${paths.docs} describes them.`
    this.streams = dependencies.streams
    const all: Array<Route> = []
    for (const operation of operations) {
      const route = operationRoute(operation, dependencies)
      this.router.add(operation.method, basePath + operation.path, route)
      all.push(route)
    }
    refuseAmbiguousMount(paths, this.router)

    const probes = { "/health/live": liveProbe, "/health/ready": readyProbe(runtime, isClosing) }
    this.probes = new Set(Object.keys(probes).flatMap((path) => [path, mountPath + path]))
    const authenticates = options.authenticate === undefined ? "apiKey" : "host"
    const reservations = Context.get(runtime, Reservations).policy.expireAfter !== undefined
    const published = { basePath, mountPath, metrics, reservations, authentication: authenticates } as const
    const root = rootRoute(paths, authenticates)
    const pages: ReadonlyArray<readonly [path: string, route: Route]> = [
      ...Object.entries(probes),
      ...(metrics ? [["/metrics", metricsRoute(runtime)] as const] : []),
      ...publishedDocuments(published, compression),
      ...referencePageRoutes(compression),
      ...(console ? consoleRoutes(paths, authenticates, compression) : []),
      ...errorPageRoutes(paths),
      ["/", root],
      ...(basePath === "" ? [] : [[basePath, root] as const])
    ]
    for (const [path, route] of pages) {
      this.router.add("GET", path, route)
      all.push(route)
    }
    this.all = all
  }

  /** How many streams of events are open. */
  get openStreams(): number {
    return this.streams.size
  }

  /** Authenticates the callers of open streams again. */
  get checkStreams(): Effect.Effect<void> {
    return this.streams.check
  }

  /** Ends the streams that are open. */
  closeStreams(): void {
    this.streams.close()
  }

  /** Whether this is the target of a health check. */
  isProbe(target = ""): boolean {
    return this.probes.has(target)
  }

  /**
   * Returns the route of a request, and sets the path, the query and the path parameters in its context. There is none for OPTIONS, whose
   * response is what `MethodNotAllowed` allows.
   */
  find(context: RequestContext): Route | NotFound | MethodNotAllowed | MethodNotImplemented {
    const { method, target } = context.request
    // The server as a whole (RFC 9110, section 9.3.7).
    if (method === "OPTIONS" && target === "*") return new MethodNotAllowed({ allow: this.router.allow })
    const path = pathAndQuery(target)
    const question = path.indexOf("?")
    context.path = question === -1 ? path : path.slice(0, question)
    context.query = question === -1 ? "" : path.slice(question + 1)
    const match = this.match(context)
    if (match === undefined) {
      return new NotFound({}, { message: `There is nothing at ${path.slice(0, limits.shownPath)}. ${this.guidance}` })
    }
    context.pathValues = match.values
    const { allow, methods } = match.resource
    const route = methods.get(method === "HEAD" ? "GET" : method)
    return route ?? (knownMethods.has(method) ? new MethodNotAllowed({ allow }) : new MethodNotImplemented({}))
  }

  /** The host application may or may not have stripped the mount path: with none at the whole path, looks without it. */
  private match(context: RequestContext): Match<Route> | undefined {
    const { mountPath } = this
    const match = this.router.find(context.path)
    if (match !== undefined || mountPath === "") return match
    if (context.path !== mountPath && !context.path.startsWith(`${mountPath}/`)) return undefined
    context.path = context.path.slice(mountPath.length) || "/"
    return this.router.find(context.path)
  }
}
