const date = /^\d{4}-\d{2}-\d{2}$/
const isDay = (value) => typeof value === "string" && date.test(value) && !Number.isNaN(Date.parse(value))

/** Statuses of requests that do not reach the operation: with another method, or incomplete. */
const unreached = ({ requestBody }) => ["405", "431", ...(requestBody === undefined ? ["408"] : [])]

/** A deprecated operation has its sunset date under every name and in its responses; no other operation has one. */
export default function deprecation(operation) {
  const { deprecated, responses, "x-deprecated-sunset": sunset, "x-scalar-stability": scalar } = operation
  if (deprecated !== true) {
    return [
      ...["x-deprecated-sunset", "x-sunset"]
        .filter((name) => name in operation)
        .map((name) => `${name} requires deprecated`),
      ...(scalar === "deprecated" ? ["x-scalar-stability is deprecated, deprecated is not set"] : []),
      ...("410" in responses && responses[410]["x-error-codes"]?.includes("operation_sunset")
        ? ["410 operation_sunset requires deprecated"]
        : [])
    ].map((message) => ({ message }))
  }
  const silent = Object.entries(responses).filter(
    ([status, { headers = {} }]) =>
      !unreached(operation).includes(status) && ["Deprecation", "Sunset", "Link"].some((name) => !(name in headers))
  )
  return [
    ...(isDay(sunset) ? [] : ["deprecated requires x-deprecated-sunset, a day such as 2030-12-05"]),
    ...(operation["x-sunset"] === sunset ? [] : ["x-sunset and x-deprecated-sunset must be the same day"]),
    ...(scalar === "deprecated" ? [] : ["deprecated requires x-scalar-stability: deprecated"]),
    ...("410" in responses ? [] : ["deprecated requires a response 410"]),
    ...silent.map(([status]) => `response ${status} requires the headers Deprecation, Sunset and Link`)
  ].map((message) => ({ message }))
}
