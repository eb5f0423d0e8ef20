/**
 * Returns a function that gives objects, which have some of the methods of a whole one, a prototype with the others: it throws when one of
 * them is read, and says where that method is. Types do not show these, and plain JavaScript would only say that they are no function.
 */
export const missingMethods = (
  whole: () => object,
  messageOf: (name: string) => string,
  others: ReadonlyArray<string> = []
): (<Part extends object>(part: Part) => Part) => {
  let prototype: object | undefined
  return (part) => {
    prototype ??= Object.defineProperties(
      {},
      Object.fromEntries(
        [...Object.keys(whole()), ...others]
          .filter((name) => !(name in part))
          .map((name) => [
            name,
            {
              get: () => {
                throw new TypeError(messageOf(name))
              }
            }
          ])
      )
    )
    Object.setPrototypeOf(part, prototype)
    return part
  }
}

/** How other transactions end. */
export const endings = ["commit", "rollback", "abort"]

/** Why a transaction does not have a method. */
export const lackedByTransaction = (name: string): string =>
  endings.includes(name)
    ? `A transaction has no ${name}: it is committed when its function succeeds, and has no effect if its function fails. Throw an error to end it without effect.`
    : `A transaction has no ${name}. Use petstore.${name}, outside of the function of the transaction.`
