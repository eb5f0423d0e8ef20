import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"

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
