import * as Effect from "effect/Effect"

/** A fourth of the code of the engine, which few processes need: it is not loaded with the petstore. Do not run it in a transaction. */
export const loadChecks = Effect.promise(() => import("./checks.ts"))
