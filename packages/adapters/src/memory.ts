/** A store in memory. */

import { memory as memoryAnywhere, type StorageAdapter } from "@petstore/core"
import { hasher } from "./hasher.ts"

/** The in-memory store of `@petstore/core`, with the synchronous hashing of Node.js. */
export const memory = (): StorageAdapter => ({ ...memoryAnywhere(), hasher })
