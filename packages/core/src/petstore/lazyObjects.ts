/** How each property of an object is made for its owner. */
export type PropertyMakers<Owner, Shape> = { readonly [Name in keyof Shape]: (owner: Owner) => Shape[Name] }

const owner = Symbol("owner")
const made = Symbol("made")

interface Lazy<Owner> {
  readonly [owner]: Owner
  readonly [made]: Record<string, unknown>
}

/** The owner of a lazy object; undefined for any other value. A map of them would let V8 keep what the owner leads to. */
export const ownerOf = (value: unknown): unknown => Reflect.get(Object(value), owner)

/**
 * Returns a function that makes an object for an owner, whose properties are made when they are first read, or copied. All of these objects
 * share a prototype, which is passed to `onPrototype`: to define properties on an object of each transaction would cost more than its
 * commands.
 */
export const lazyObjects = <Owner, Shape extends object>(
  makers: PropertyMakers<Owner, Shape>,
  onPrototype: (prototype: Shape) => void = () => {}
): ((owner: Owner) => Shape) => {
  const propertyOf = ([name, make]: readonly [string, (owner: Owner) => unknown]): readonly [
    string,
    PropertyDescriptor & ThisType<Lazy<Owner>>
  ] => [
    name,
    {
      get() {
        const known = this[made]
        known[name] ??= make(this[owner])
        return known[name]
      },
      set(value: unknown) {
        // An object that has this one as its prototype gets a property of its own.
        if (Object.getPrototypeOf(this) === LazyObject.prototype) this[made][name] = value
        else Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true })
      },
      configurable: true,
      enumerable: true
    }
  ]
  const prototype: object = Object.defineProperties(
    {},
    Object.fromEntries(Object.entries<(owner: Owner) => unknown>(makers).map(propertyOf))
  )
  // Its properties are those of the makers.
  onPrototype(prototype as Shape)
  class LazyObject implements Lazy<Owner> {
    readonly [owner]: Owner
    readonly [made]: Record<string, unknown> = {}

    constructor(of: Owner) {
      this[owner] = of
    }
  }
  Object.setPrototypeOf(LazyObject.prototype, prototype)
  const names = Object.keys(makers)
  // A copy by spread syntax has what is an object's own, and what callers have added to it.
  const handler: ProxyHandler<LazyObject> = {
    ownKeys: (target) => [...new Set([...names, ...Object.getOwnPropertyNames(target)])],
    getOwnPropertyDescriptor: (target, name) =>
      (typeof name === "string" ? Object.getOwnPropertyDescriptor(target, name) : undefined) ??
      (Object.getOwnPropertyDescriptor(prototype, name) && {
        value: Reflect.get(target, name),
        configurable: true,
        enumerable: true,
        writable: true
      })
  }
  return (of) => new Proxy(new LazyObject(of), handler) as object as Shape
}
