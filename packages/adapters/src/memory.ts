/** A store in memory. */

import { memory as memoryAnywhere, type StorageAdapter } from "@petstore/core"
import { hasher } from "./hasher.ts"

/** The store in memory of `@petstore/core`, with the hashing of Node.js, which needs no waiting. */
export const memory = (): StorageAdapter => ({ ...memoryAnywhere(), hasher })
