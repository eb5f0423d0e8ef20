import type { MethodInput, MethodInputs } from "../domain/MethodInput.ts"
import { type MethodName, methodInputs } from "../domain/methodInputs.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { RecordKind } from "../domain/records/ResourceRecord.ts"
import type { InputsOf, OptionOf, UntypedEffect, UntypedMethod, UseCaseName } from "../programs/UseCase.ts"
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
export const inputCount = ({ body, kind, path = {}, query }: MethodInput): number =>
  (kind === undefined ? 0 : 1) + Object.keys(path).length + (body === undefined && query === undefined ? 0 : 1)

/** The name of the method that iterates over all pages of a list: `all` for `list`, `allMovements` for `movements`. */
const allOf = (list: string): string => (list === "list" ? "all" : `all${list.charAt(0).toUpperCase()}${list.slice(1)}`)

/** The groups of methods and these, with what of them does not depend on the petstore. */
const groups = Object.entries<MethodInputs>(inputs).map(([group, groupInputs]) => ({
  group,
  methods: Object.entries(groupInputs).map(([name, input]) => ({
    name,
    fullName: `${group}.${name}` as MethodName,
    input,
    position: inputCount(input) - 1,
    all: input.query && allOf(name)
  }))
}))

/** How the methods of an API are made. */
interface Maker {
  readonly make: (name: MethodName, input: MethodInput) => UntypedMethod<unknown>
  readonly all: (list: (query: PageQuery) => unknown, query: PageQuery) => unknown
}

const maker = Symbol("maker")

const groupOf = (methods: (typeof groups)[number]["methods"], { all, make }: Maker): Record<string, unknown> => {
  const made: Record<string, unknown> = {}
  for (const { all: allName, fullName, input, name, position } of methods) {
    const method = make(fullName, input)
    made[name] = method
    if (allName === undefined) continue
    made[allName] = (...args: ReadonlyArray<unknown>) => {
      const { [position]: query = {} } = args
      return all((page) => method(...args.slice(0, position), page, ...args.slice(position + 1)), query as PageQuery)
    }
  }
  return made
}

/** The properties of every API. Each of them is a function that all share: those that are made for one cost more than its methods. */
const properties: PropertyDescriptorMap = Object.fromEntries(
  groups.map(({ group, methods }) => [
    group,
    {
      get(this: { readonly [maker]: Maker }): unknown {
        const value = groupOf(methods, this[maker])
        Object.defineProperty(this, group, { value, enumerable: true, configurable: true, writable: true })
        return value
      },
      enumerable: true,
      configurable: true
    }
  ])
)

/**
 * Makes an API with every method of a petstore: `make` makes each of them, `all` those that iterate over the pages that a
 * list returns. A group is made when it is read: each transaction has an API of its own, and uses few of them.
 */
export const mapMethods = <Api extends Readonly<Record<keyof ResourceMethods, unknown>>, R>(
  make: (name: MethodName, input: MethodInput) => UntypedMethod<R>,
  all: (list: (query: PageQuery) => R, query: PageQuery) => unknown
): Api => {
  const api: object = Object.defineProperty({}, maker, { value: { make, all } })
  // TypeScript cannot follow a loop over names. The compiler has checked above that each method has its input.
  return Object.defineProperties(api, properties) as Api
}

/** Makes the methods of one group, without those that iterate over pages: `make` makes each of them. */
export const mapGroup = <Group, R>(
  inputs: { readonly [Name in keyof Group]: MethodInput },
  make: (name: keyof Group & string, input: MethodInput) => UntypedMethod<R>
): Group =>
  // TypeScript cannot follow a loop over names.
  Object.fromEntries(
    Object.entries<MethodInput>(inputs).map(([name, input]) => [name, make(name as keyof Group & string, input)])
  ) as Group

/** Looks up a method by its name. It has no types, because TypeScript cannot follow a loop over names. */
export const methodNamed = (groups: object, name: MethodName): UntypedMethod<UntypedEffect> => {
  const [group = "", method = ""] = name.split(".")
  const wanted = (groups as Readonly<Record<string, Readonly<Record<string, UntypedMethod<UntypedEffect>>>>>)[group]?.[
    method
  ]
  if (wanted === undefined) throw new TypeError(`There is no method ${name}`)
  return wanted
}
