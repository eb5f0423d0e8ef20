import { setFlagsFromString } from "node:v8"

/** Whether the operator has decided, as with `node --maglev`. */
const isSet = (): boolean => process.execArgv.some((flag) => /^--(no-?)?maglev$/.test(flag))

/**
 * Leaves out Maglev, the compiler of V8 between its first and its best one, whose work for a server holds 20 MB. Call this before the
 * program is loaded.
 */
export const disableMaglev = (): void => {
  if (!isSet()) setFlagsFromString("--no-maglev")
}
