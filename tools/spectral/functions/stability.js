const levels = { experimental: "alpha", beta: "beta" }

/** A stability is said under every name alike, and shown as a badge. */
export default function stability(operation) {
  const { deprecated, "x-badges": badges = [], "x-scalar-stability": scalar } = operation
  const { "x-stability": mark, "x-stability-level": level } = operation
  const shown = badges.map(({ name }) => name.toLowerCase())
  if (mark === undefined) {
    return [
      ...(level === undefined ? [] : ["x-stability-level needs x-stability"]),
      ...(scalar === undefined || scalar === "deprecated"
        ? []
        : ["x-scalar-stability needs x-stability or deprecated"]),
      ...Object.keys(levels)
        .filter((name) => shown.includes(name))
        .map((name) => `the badge ${name} needs x-stability`)
    ].map((message) => ({ message }))
  }
  if (!Object.hasOwn(levels, mark)) return [{ message: `x-stability must be one of ${Object.keys(levels).join(", ")}` }]
  return [
    ...(level === levels[mark] ? [] : [`x-stability: ${mark} needs x-stability-level: ${levels[mark]}`]),
    ...(scalar === "experimental" || deprecated === true ? [] : [`x-stability needs x-scalar-stability: experimental`]),
    ...(shown.includes(mark) ? [] : [`x-stability: ${mark} needs a badge of that name`])
  ].map((message) => ({ message }))
}
