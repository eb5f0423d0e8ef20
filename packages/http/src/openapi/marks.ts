import type { OperationMarks } from "../api/annotations.ts"
import type { OperationObject } from "./OpenApi.ts"

type Extensions = Pick<
  OperationObject,
  | "deprecated"
  | "x-stability"
  | "x-stability-level"
  | "x-scalar-stability"
  | "x-badges"
  | "x-deprecated-sunset"
  | "x-sunset"
  | "x-hideTryItPanel"
  | "x-explorer-enabled"
>

const levels = { beta: "beta", experimental: "alpha" } as const
const names = { beta: "Beta", experimental: "Experimental" } as const

const stabilityExtensions = (stability: "beta" | "experimental"): Extensions => ({
  "x-stability": stability,
  "x-stability-level": levels[stability],
  "x-scalar-stability": "experimental"
})

/** The marks of an operation under the names that documentation and comparison tools know them by. */
export const markExtensions = ({ deprecation, stability, tryOut }: OperationMarks): Extensions => {
  const badges = [
    ...(stability === undefined ? [] : [{ name: names[stability], color: "orange" }]),
    ...(deprecation === undefined ? [] : [{ name: `Sunset ${deprecation.sunset}`, color: "red" }])
  ]
  return {
    ...(stability === undefined ? {} : stabilityExtensions(stability)),
    ...(deprecation === undefined
      ? {}
      : {
          deprecated: true,
          "x-scalar-stability": "deprecated",
          "x-deprecated-sunset": deprecation.sunset,
          "x-sunset": deprecation.sunset
        }),
    ...(badges.length === 0 ? {} : { "x-badges": badges }),
    ...(tryOut === false ? { "x-hideTryItPanel": true, "x-explorer-enabled": false } : {})
  }
}
