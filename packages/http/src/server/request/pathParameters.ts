/** The names of the parameters in a path, in their order. */
export const pathParameters = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

/** Puts values into a path; those of its parameters that are in `names`. */
export const pathFiller = (path: string, names: ReadonlyArray<string>): ((values: ReadonlyArray<string>) => string) => {
  const [start = "", ...rest] = path.split(/:(\w+)/)
  const steps = rest.flatMap((name, index) =>
    index % 2 === 0 ? [{ place: names.indexOf(name), text: rest[index + 1] ?? "" }] : []
  )
  return (values) => {
    let filled = start
    for (const { place, text } of steps) filled += encodeURIComponent(values[place] ?? "") + text
    return filled
  }
}
