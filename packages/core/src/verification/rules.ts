import type { Rule } from "./Rule.ts"
import { accountRules } from "./rules/accountRules.ts"
import { consumerRules } from "./rules/consumerRules.ts"
import { importRules } from "./rules/importRules.ts"
import { ledgerRules } from "./rules/ledgerRules.ts"
import { logRules } from "./rules/logRules.ts"
import { messageRules } from "./rules/messageRules.ts"
import { orderRules } from "./rules/orderRules.ts"
import { petRules } from "./rules/petRules.ts"
import { storeRules } from "./rules/storeRules.ts"
import { webhookRules } from "./rules/webhookRules.ts"

/** Every rule that verification checks, in the order of its report. */
export const rules: readonly [storeIntact: Rule, secretsReadable: Rule, ...ofRows: ReadonlyArray<Rule>] = [
  ...storeRules,
  ...petRules,
  ...orderRules,
  ...ledgerRules,
  ...logRules,
  ...webhookRules,
  ...messageRules,
  ...accountRules,
  ...importRules,
  ...consumerRules
]
