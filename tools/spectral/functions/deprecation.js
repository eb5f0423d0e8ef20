const date = /^\d{4}-\d{2}-\d{2}$/
const isDay = (value) => typeof value === "string" && date.test(value) && !Number.isNaN(Date.parse(value))

/** Statuses of requests that do not get as far as the operation: of another method, or that are not read to their end. */
const unreached = ({ requestBody }) => ["405", "431", ...(requestBody === undefined ? ["408"] : [])]

/** A deprecated operation says under every name when it ends, and in its answers too; no other operation does. */
export default function deprecation(operation) {
  const { deprecated, responses, "x-deprecated-sunset": sunset, "x-scalar-stability": scalar } = operation
  if (deprecated !== true) {
    return [
      ...["x-deprecated-sunset", "x-sunset"]
        .filter((name) => name in operation)
        .map((name) => `${name} needs deprecated`),
      ...(scalar === "deprecated" ? ["x-scalar-stability is deprecated, deprecated is not set"] : []),
      ...("410" in responses && responses[410]["x-error-codes"]?.includes("operation_sunset")
        ? ["410 operation_sunset needs deprecated"]
        : [])
    ].map((message) => ({ message }))
  }
  const silent = Object.entries(responses).filter(
    ([status, { headers = {} }]) =>
      !unreached(operation).includes(status) && ["Deprecation", "Sunset", "Link"].some((name) => !(name in headers))
  )
  return [
    ...(isDay(sunset) ? [] : ["deprecated needs x-deprecated-sunset, a day such as 2030-12-05"]),
    ...(operation["x-sunset"] === sunset ? [] : ["x-sunset and x-deprecated-sunset must be the same day"]),
    ...(scalar === "deprecated" ? [] : ["deprecated needs x-scalar-stability: deprecated"]),
    ...("410" in responses ? [] : ["deprecated needs a response 410"]),
    ...silent.map(([status]) => `response ${status} needs the headers Deprecation, Sunset and Link`)
  ].map((message) => ({ message }))
}
