import { integer } from "@petstore/core/domain"
import { type Arbitrary, all, Constant, flatMap, map, schema } from "effect/Arbitrary"

/** A whole number within bounds. */
export const int = (minimum: number, maximum: number): Arbitrary<number> => schema(integer(minimum, maximum))

/** A value of any of these. */
export const oneOf = <A>(first: Arbitrary<A>, ...others: ReadonlyArray<Arbitrary<A>>): Arbitrary<A> =>
  flatMap(int(0, others.length), (index) => others[index - 1] ?? first)

type Fields<A> = { readonly [K in keyof A]: Arbitrary<A[K]> }

/** An object with each of the fields, and any of the optional ones. */
export const struct = <R extends object, O extends object = object>(
  required: Fields<R>,
  optional?: Fields<O>
): Arbitrary<R & Partial<O>> => {
  const maybe = Object.entries<Arbitrary<unknown>>(optional ?? {}).map(([name, value]) => {
    const field: Arbitrary<object> = map(value, (given) => ({ [name]: given }))
    return oneOf(Constant({}), field)
  })
  // Assembled field by field, because the type of Object.assign is not precise enough.
  return map(all([all({ ...required }), ...maybe]), (parts) => Object.assign({}, ...parts) as R & Partial<O>)
}
