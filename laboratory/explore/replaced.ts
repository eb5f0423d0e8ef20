import type { Transaction } from "@petstore/core/kernel"

/** The same transaction with other operations. */
export const replaced = (transaction: Transaction, operations: Partial<Transaction>): Transaction =>
  new Proxy(transaction, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in operations ? operations : target, name)
      return typeof value === "function" ? value.bind(target) : value
    }
  })
