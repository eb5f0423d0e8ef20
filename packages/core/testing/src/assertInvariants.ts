import type { CheckResult, Petstore } from "@petstore/core"
import { ContractViolation, formatValue } from "./check.ts"
import { checkPetstore } from "./checkPetstore.ts"

const formatCheck = ({ examples, name, rule, violations }: CheckResult): string =>
  `- ${name}: ${rule} Violated by ${violations} row(s), such as ${formatValue(examples[0])}`

/**
 * Checks every invariant on the data of a petstore. Throws a {@link ContractViolation} that lists those that do not hold.
 *
 * @example
 * ```ts
 * import { assertInvariants, createOpenOrder, testPetstore } from "@petstore/testing"
 *
 * await using petstore = await testPetstore()
 * const order = await createOpenOrder(petstore)
 * await petstore.orders.cancel(order.id)
 * await assertInvariants(petstore)
 * ```
 */
export const assertInvariants = async (petstore: Pick<Petstore, "verify">): Promise<void> => {
  checkPetstore("assertInvariants", petstore, "verify")
  const { checks, ok } = await petstore.verify()
  if (ok) return
  const broken = checks.filter(({ violations }) => violations > 0)
  const message = `Expected every invariant to hold, but found:\n${broken.map(formatCheck).join("\n")}`
  throw new ContractViolation(message, broken, [])
}
