const levels = { experimental: "alpha", beta: "beta" }

/** The stability is the same under every name, and has a badge. */
export default function stability(operation) {
  const { deprecated, "x-badges": badges = [], "x-scalar-stability": scalar } = operation
  const { "x-stability": value, "x-stability-level": level } = operation
  const shown = badges.map(({ name }) => name.toLowerCase())
  if (value === undefined) {
    return [
      ...(level === undefined ? [] : ["x-stability-level requires x-stability"]),
      ...(scalar === undefined || scalar === "deprecated"
        ? []
        : ["x-scalar-stability requires x-stability or deprecated"]),
      ...Object.keys(levels)
        .filter((name) => shown.includes(name))
        .map((name) => `the badge ${name} requires x-stability`)
    ].map((message) => ({ message }))
  }
  if (!Object.hasOwn(levels, value))
    return [{ message: `x-stability must be one of ${Object.keys(levels).join(", ")}` }]
  return [
    ...(level === levels[value] ? [] : [`x-stability: ${value} requires x-stability-level: ${levels[value]}`]),
    ...(scalar === "experimental" || deprecated === true
      ? []
      : [`x-stability requires x-scalar-stability: experimental`]),
    ...(shown.includes(value) ? [] : [`x-stability: ${value} requires a badge of that name`])
  ].map((message) => ({ message }))
}
