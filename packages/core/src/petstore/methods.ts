import type { MethodInput, MethodInputs } from "../domain/MethodInput.ts"
import { type MethodName, methodInputs } from "../domain/methodInputs.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { RecordKind } from "../domain/records/ResourceRecord.ts"
import type { InputsOf, OptionOf, UntypedEffect, UntypedMethod, UseCaseName } from "../programs/UseCase.ts"
import { lazyObjects, type PropertyMakers } from "./lazyObjects.ts"
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

/** Makes the method that iterates over the pages of a list. */
type MakeAll<R> = (list: (query: PageQuery) => R, query: PageQuery) => unknown

const allMethod =
  <R>(all: MakeAll<R>, method: UntypedMethod<R>, position: number): UntypedMethod<unknown> =>
  (...args) => {
    const { [position]: query = {} } = args
    return all((page) => method(...args.slice(0, position), page, ...args.slice(position + 1)), query as PageQuery)
  }

/**
 * Makes an API with every method of a petstore: `make` makes each of them, `all` those that iterate over the pages that a
 * list returns.
 */
export const mapMethods = <Api extends Readonly<Record<keyof ResourceMethods, unknown>>, R>(
  make: (name: MethodName, input: MethodInput) => UntypedMethod<R>,
  all: MakeAll<R>
): Api => {
  const api: Record<string, unknown> = {}
  for (const { group, methods } of groups) {
    const made: Record<string, unknown> = {}
    for (const { all: allName, fullName, input, name, position } of methods) {
      const method = make(fullName, input)
      made[name] = method
      if (allName !== undefined) made[allName] = allMethod(all, method, position)
    }
    api[group] = made
  }
  // TypeScript cannot follow a loop over names. The compiler has checked above that each method has its input.
  return api as Api
}

/**
 * Says how to make an API for an owner, such as a transaction: a group when it is read, and of it a method when that is read, since most
 * owners use few of them. `make` is called once for each method.
 */
export const methodsFor = <Api extends Readonly<Record<keyof ResourceMethods, unknown>>, Owner, R>(
  make: (name: MethodName, input: MethodInput) => (owner: Owner) => UntypedMethod<R>,
  all: MakeAll<R>
): PropertyMakers<Owner, Api> => {
  const makers = groups.map(({ group, methods }) => {
    let makeGroup: ((owner: Owner) => object) | undefined
    const methodMakers = (): PropertyMakers<Owner, Record<string, unknown>> => {
      const ofGroup: Record<string, (owner: Owner) => UntypedMethod<unknown>> = {}
      for (const { all: allName, fullName, input, name, position } of methods) {
        let makeMethod: ((owner: Owner) => UntypedMethod<R>) | undefined
        const method = (owner: Owner) => {
          makeMethod ??= make(fullName, input)
          return makeMethod(owner)
        }
        ofGroup[name] = method
        if (allName !== undefined) ofGroup[allName] = (owner) => allMethod(all, method(owner), position)
      }
      return ofGroup
    }
    return [
      group,
      (owner: Owner) => {
        makeGroup ??= lazyObjects(methodMakers())
        return makeGroup(owner)
      }
    ]
  })
  // As above.
  return Object.fromEntries(makers) as PropertyMakers<Owner, Api>
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
