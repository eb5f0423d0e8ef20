import { flushCompileCache } from "node:module"

// Import it first: all modules of a program are compiled before the first one runs. Programs that are killed keep nothing else.
flushCompileCache()
