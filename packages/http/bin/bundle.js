import { statSync } from "node:fs"

/** The program of the command in few files, which `scripts/bundleCommand.js` writes. */
export const bundle = new URL("../dist/bundle/main.js", import.meta.url)

// What the compiler and npm write last in a checkout. An installed package has none of these.
const notes = [
  "../dist/.tsbuildinfo",
  "../../adapters/dist/.tsbuildinfo",
  "../../core/dist/.tsbuildinfo",
  "../../../node_modules/.package-lock.json"
].map((path) => new URL(path, import.meta.url))

const changedAt = (url) => statSync(url, { throwIfNoEntry: false })?.mtimeMs

/** Whether the bundle is there, and nothing that it was made of has changed since. */
export const isBundleCurrent = () => {
  const at = changedAt(bundle)
  return at !== undefined && notes.every((note) => (changedAt(note) ?? at) <= at)
}
