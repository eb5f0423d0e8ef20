import type { Operation } from "../api/operations.ts"
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

/** What documentation and comparison tools read from extensions of their own. */
interface Lifecycle {
  readonly stability: "stable" | "beta" | "experimental"
  readonly deprecation?: Operation["deprecation"] | undefined
  readonly tryOut?: boolean
}

const levels = { beta: "beta", experimental: "alpha" } as const
const names = { beta: "Beta", experimental: "Experimental" } as const

const stabilityExtensions = (stability: "beta" | "experimental"): Extensions => ({
  "x-stability": stability,
  "x-stability-level": levels[stability],
  "x-scalar-stability": "experimental"
})

/** Stability, deprecation and try-out of an operation, under each name that a tool knows them by. */
export const extensionsOf = ({ deprecation, stability, tryOut }: Lifecycle): Extensions => {
  const badges = [
    ...(stability === "stable" ? [] : [{ name: names[stability], color: "orange" }]),
    ...(deprecation === undefined ? [] : [{ name: `Sunset ${deprecation.sunset}`, color: "red" }])
  ]
  return {
    ...(stability === "stable" ? {} : stabilityExtensions(stability)),
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
