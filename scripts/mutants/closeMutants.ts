import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"
import { methodOf, nameOf, parse, within } from "./syntax.ts"

/** Removes each wait of a `close` for calls that are still running. */
export const closeMutants = (file: string, text: string): ReadonlyArray<Mutant> =>
  within(parse(file, text)).flatMap((node) => {
    if (!["Property", "PropertyDefinition", "MethodDefinition"].includes(node.type)) return []
    if (nameOf(node.key) !== "close") return []
    return within(node).flatMap((part): ReadonlyArray<Mutant> => {
      const called = methodOf(part)
      const waits = nameOf(called?.object) === "Promise" && ["all", "allSettled"].includes(called?.method ?? "")
      if (!waits) return []
      const { end, start } = part
      return [
        {
          file,
          line: lineAt(text, start),
          fault: `close does not wait for ${inOneLine(text.slice(start, end))}`,
          text: edited(text, [{ start, end, text: "Promise.resolve()" }])
        }
      ]
    })
  })
