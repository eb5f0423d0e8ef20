const last = 0x10ffff

const following = (codePoint: number): number => (codePoint === 0xd7ff ? 0xe000 : codePoint + 1)

/**
 * The smallest text, compared by code points, that is greater than every text with this prefix; undefined if there
 * is none. `prefix <= name < afterPrefix(prefix)` is a range of an index.
 */
export const afterPrefix = (prefix: string): string | undefined => {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? last)
  while (codePoints.at(-1) === last) codePoints.pop()
  const end = codePoints.pop()
  return end === undefined ? undefined : String.fromCodePoint(...codePoints, following(end))
}
