import { untyped } from "../untyped.ts"

/** An object whose calls go to each of these in turn, and so do those of the objects in it. */
export const inTurn = <A extends object>(objects: readonly [A, ...ReadonlyArray<A>]): A => {
  let calls = 0
  // The target is not one of the objects: a proxy has to return the fields of a frozen target as they are.
  return new Proxy<A>(untyped({}), {
    get: (_target, key) => {
      const values = objects.map((object): unknown => Reflect.get(object, key))
      const [first] = values
      if (typeof first === "function") {
        return (...args: ReadonlyArray<unknown>): unknown => {
          const index = calls++ % objects.length
          const method = values[index]
          return typeof method === "function" ? Reflect.apply(method, objects[index], args) : undefined
        }
      }
      return isObject(first) && values.every(isObject) ? inTurn([first, ...values.slice(1)]) : first
    }
  })
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
