import type { MethodInput, MethodInputs } from "../domain/MethodInput.ts"
import { type MethodName, methodInputs } from "../domain/methodInputs.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { RecordKind } from "../records/ResourceRecord.ts"
import type { InputsOf, OptionOf, UntypedMethod, UseCaseName } from "../services/UseCases.ts"
import type { ResourceMethods } from "./PetstoreApi.ts"

interface SchemaOf<A> {
  readonly Type: A
}

type InputPart<A> = A extends number | string | ReadonlyArray<unknown>
  ? { readonly field: string; readonly body: SchemaOf<Readonly<Record<string, A>>> }
  : { readonly body: SchemaOf<A> } | { readonly query: SchemaOf<A> }

type PathPart<A> = A extends number | string ? { readonly path: Readonly<Record<string, SchemaOf<A>>> } : never

interface KindPart<A> {
  readonly kind: SchemaOf<A>
}

type InputParts<Inputs extends ReadonlyArray<unknown>> = Inputs extends readonly [
  infer Kind extends RecordKind,
  ...infer Rest
]
  ? KindPart<Kind> & PartsBehind<Rest>
  : PartsBehind<Inputs>

type PartsBehind<Inputs extends ReadonlyArray<unknown>> = Inputs extends readonly [infer A, infer B]
  ? PathPart<A> & InputPart<B>
  : Inputs extends readonly [infer A]
    ? PathPart<A> | InputPart<A>
    : never

type InputOf<Arguments extends ReadonlyArray<unknown>> = InputParts<Required<InputsOf<Arguments>>> &
  ([OptionOf<Arguments>] extends [never]
    ? { readonly options?: never }
    : { readonly options: { readonly [Option in OptionOf<Arguments>]: true } })

type MethodsOf<Group extends keyof ResourceMethods> = {
  readonly [Name in UseCaseName<ResourceMethods[Group]>]: ResourceMethods[Group][Name] extends (
    ...args: infer Arguments
  ) => unknown
    ? InputOf<Arguments>
    : never
}

/**
 * The inputs of all methods. The compiler requires one for each, with the types of its arguments. They are defined beside
 * the schemas in `domain`.
 */
const inputs = methodInputs satisfies { readonly [Group in keyof ResourceMethods]: MethodsOf<Group> }

/** How many arguments a method has before its options. */
export const inputCount = ({ body, kind, path, query }: MethodInput): number =>
  (kind === undefined ? 0 : 1) + (path === undefined ? 0 : 1) + (body === undefined && query === undefined ? 0 : 1)

/** The name of the method that iterates over all pages of a list: `all` for `list`, `allMovements` for `movements`. */
const allOf = (list: string): string => (list === "list" ? "all" : `all${list.charAt(0).toUpperCase()}${list.slice(1)}`)

/**
 * Makes an API with every method of a petstore: `make` makes each of them, `all` those that iterate over the pages that a
 * list returns.
 */
export const mapMethods = <Api extends Readonly<Record<keyof ResourceMethods, unknown>>, R>(
  make: (name: MethodName, input: MethodInput) => UntypedMethod<R>,
  all: (list: (query: PageQuery) => R, query: PageQuery) => unknown
): Api => {
  const groups = Object.entries<MethodInputs>(inputs).map(([group, groupInputs]) => {
    const methods = Object.entries(groupInputs).flatMap(([name, input]): ReadonlyArray<readonly [string, unknown]> => {
      const method = make(`${group}.${name}` as MethodName, input)
      if (input.query === undefined) return [[name, method]]
      const position = inputCount(input) - 1
      const iterate: UntypedMethod<unknown> = (...args) => {
        const { [position]: query = {} } = args
        return all((page) => method(...args.slice(0, position), page, ...args.slice(position + 1)), query as PageQuery)
      }
      return [
        [name, method],
        [allOf(name), iterate]
      ]
    })
    return [group, Object.fromEntries(methods)]
  })
  // TypeScript cannot follow a loop over names. The compiler has checked above that each method has its input.
  const api: unknown = Object.fromEntries(groups)
  return api as Api
}
