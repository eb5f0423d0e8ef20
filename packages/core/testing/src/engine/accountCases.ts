import { parseTimestamp } from "@petstore/core/domain"
import { holds, same } from "../check.ts"
import { engineCases } from "./cases.ts"
import { unknown } from "./given.ts"
import { refused } from "./refused.ts"
import { collect } from "./seen.ts"

export const accountCases = engineCases("accounts", {
  "a new account gets an id": async (petstore) => {
    const account = await petstore.accounts.create({ name: "Shop" })
    holds(Number.isSafeInteger(account.id) && account.id > 0, "the id is a positive whole number")
    holds(parseTimestamp(account.createdAt) !== undefined, `${account.createdAt} is a timestamp`)
    same(account, { id: account.id, name: "Shop", createdAt: account.createdAt })
    same(await petstore.accounts.get(account.id), account)
    same(
      (await collect(petstore.accounts.all())).filter(({ id }) => id === account.id),
      [account]
    )
  },
  "an unknown account is not found": async (petstore) => {
    await refused("not_found", petstore.accounts.get(unknown))
  },
  "a name that another account has is refused, whatever its case": async (petstore) => {
    await petstore.accounts.create({ name: "Shop" })
    await refused("account_name_taken", petstore.accounts.create({ name: "SHOP" }), { name: "SHOP" })
    await refused("account_name_taken", petstore.accounts.create({ name: "  shop " }), { name: "shop" })
  }
})
