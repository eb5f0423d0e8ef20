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
