import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { Include, IncludeOption } from "../domain/records/IncludedRecord.ts"
import type { EffectArguments } from "../programs/UseCase.ts"
import type { ResourceMethods } from "./PetstoreApi.ts"

/** The name of the method that lists one page, for a method that iterates over all of them. */
type PageMethod<Name> = Name extends "all" ? "list" : Name extends `all${infer List}` ? Uncapitalize<List> : Name

type ErrorOf<Errors, Name> = PageMethod<Name> extends keyof Errors ? Errors[PageMethod<Name>] : never

/** A resource, or a page of them, with records. */
type Recorded = { readonly record: unknown } | Page<{ readonly record: unknown }>

/** Of what a method may return, what it does if it is asked for this. */
type Asked<A, I extends Include> = I extends "record" ? Extract<A, Recorded> : Exclude<A, Recorded>

/** A read of one resource. `Effect.forEach` passes the index of an element behind its id. */
interface ReadMethod<Id, Options, A, E> {
  <I extends Include = undefined>(id: Id, options?: Options & IncludeOption<I>): Effect.Effect<Asked<A, I>, E>
  (id: Id, index?: number): Effect.Effect<Asked<A, undefined>, E>
}

/** A method that takes an {@link IncludeOption}: of a list in the filter, of another read among the options. */
type EffectMethod<Arguments extends ReadonlyArray<unknown>, A, E> = [Extract<A, Recorded>] extends [never]
  ? (...args: Arguments) => Effect.Effect<A, E>
  : Arguments extends readonly [filter?: infer Filter]
    ? <I extends Include = undefined>(filter?: Filter & IncludeOption<I>) => Effect.Effect<Asked<A, I>, E>
    : Arguments extends readonly [infer Id, options?: infer Options]
      ? ReadMethod<Id, Options, A, E>
      : never

type StreamMethod<Arguments extends ReadonlyArray<unknown>, A, E> = [Extract<A, Recorded>] extends [never]
  ? (...args: Arguments) => Stream.Stream<A, E>
  : Arguments extends readonly [filter?: infer Filter]
    ? <I extends Include = undefined>(filter?: Filter & IncludeOption<I>) => Stream.Stream<Asked<A, I>, E>
    : never

/** The methods of a group as effects, and lists of all pages as streams. `Errors` is how each can fail, by name. */
export type EffectMethods<Methods, Errors> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Arguments) => Promise<infer A>
    ? EffectMethod<EffectArguments<Arguments>, A, ErrorOf<Errors, Name>>
    : Methods[Name] extends (...args: infer Arguments) => AsyncIterable<infer A>
      ? StreamMethod<EffectArguments<Arguments>, A, ErrorOf<Errors, Name>>
      : never
}

/** The methods of a petstore as effects, all with the same errors. */
export type EffectApi<E> = {
  readonly [Group in keyof ResourceMethods]: EffectMethods<
    ResourceMethods[Group],
    Record<keyof ResourceMethods[Group], E>
  >
}

/** A stream of the items of all pages. */
export const allPages = <A, Q extends PageQuery, E, R>(
  list: (query: Q) => Effect.Effect<Page<A>, E, R>,
  query: Q
): Stream.Stream<A, E, R> =>
  Stream.paginate(query, (part) =>
    Effect.map(
      list(part),
      (page) =>
        [page.items, page.next === undefined ? Option.none() : Option.some({ ...part, cursor: page.next })] as const
    )
  )

/** A stream of the items of all pages of a list whose types are unknown. */
export const allUntypedPages = (
  list: (query: PageQuery) => Effect.Effect<unknown, unknown>,
  query: PageQuery
): Stream.Stream<unknown, unknown> =>
  allPages(list as (query: PageQuery) => Effect.Effect<Page<unknown>, unknown>, query)
