const longestName = 40

/** How many characters must be inserted, removed, replaced or swapped with their neighbour to make one text from the other. */
const distance = (from: string, to: string): number => {
  let [before, row]: [ReadonlyArray<number>, Array<number>] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped))
    }
    ;[before, row] = [row, next]
  }
  return row[to.length] ?? 0
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/**
 * Returns the known name that was probably meant by one that is unknown, ignoring case and punctuation; undefined if none is close.
 *
 * @example
 * ```ts
 * import { closest } from "@petstore/core/domain"
 *
 * closest("category_id", ["name", "categoryId"]) // => "categoryId"
 * ```
 */
export const closest = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length > longestName) return undefined
  const given = plain(name)
  let [nearest, least]: [string | undefined, number] = [undefined, given.length < 4 ? 1.5 : 2.5]
  for (const candidate of known) {
    const text = plain(candidate)
    const isPart = Math.min(text.length, given.length) > 3 && (text.includes(given) || given.includes(text))
    if (!isPart && Math.abs(text.length - given.length) > least) continue
    // A part of a name, or a name with more, is farther than any typing error.
    const steps = isPart && Math.abs(text.length - given.length) > 2 ? 2.4 : distance(given, text)
    if (steps < least && steps < text.length / 2) [nearest, least] = [candidate, steps]
  }
  return nearest
}
