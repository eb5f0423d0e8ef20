/** How a search finds names: by the beginnings of their words, without case and accents. */

/** Words that begin alike up to here are the same for a search: databases bound the words of an index. */
const longestWord = 64

const plain = /^[ -~]*$/

/** Vowel signs of Hebrew and Arabic too, and what joins or varies characters. The marks of Indic scripts are letters of their own. */
const accents = /[\p{Script=Inherited}\u0591-\u05c7\u0610-\u061a\u0640]/gu

const separators = /[^\p{L}\p{M}\p{N}]+/u

/** Letters whose strokes and ligatures Unicode does not take apart. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  ð: "d",
  ø: "o",
  þ: "th",
  đ: "d",
  ħ: "h",
  ł: "l",
  œ: "oe",
  ŧ: "t",
  ς: "σ"
}

/** In capitals first: some letters have a small form that only these lead to. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(accents, "")
    .replace(/[ßæðøþđħłœŧς]/g, (letter) => letters[letter] ?? letter)

const cut = (word: string): string => (word.length <= longestWord ? word : [...word].slice(0, longestWord).join(""))

/** The words of a text as a search compares them, in their order. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (plain.test(text) ? text.toLowerCase() : folded(text))
    .split(separators)
    .filter((word) => word !== "")
    .map(cut)

/** Orders write the row of a pet with the name that it had. */
const known = new Map<string, string>()
const mostKnown = 1_000

/** What a search compares of a name: words that are separated by blanks; undefined for ASCII, of which databases find the words. */
export const storedWords = (name: string): string | undefined => {
  if (plain.test(name)) return undefined
  let words = known.get(name)
  if (words === undefined) {
    words = wordsOf(name).join(" ")
    if (known.size >= mostKnown) known.clear()
    known.set(name, words)
  }
  return words
}

/** The words that a name must have to be found, sorted: none that another one begins with. */
export const searchedWords = (text: string): ReadonlyArray<string> => {
  const words = [...new Set(wordsOf(text))].sort()
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)))
}

/** Whether each of some words begins a word of a name. */
export const hasWords = (name: string, words: ReadonlyArray<string>): boolean => {
  const wordsOfName = wordsOf(name)
  return words.every((word) => wordsOfName.some((one) => one.startsWith(word)))
}
