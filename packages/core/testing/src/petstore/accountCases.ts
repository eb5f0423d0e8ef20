import { parseTimestamp } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { collect } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const accountCases = petstoreCases("accounts", {
  "a new account gets an id": async (petstore) => {
    const account = await petstore.accounts.create({ name: "Shop" })
    assertTrue(Number.isSafeInteger(account.id) && account.id > 0, "the id is a positive whole number")
    assertTrue(parseTimestamp(account.createdAt) !== undefined, `${account.createdAt} is a timestamp`)
    assertEqual(account, { id: account.id, name: "Shop", createdAt: account.createdAt })
    assertEqual(await petstore.accounts.get(account.id), account)
    assertEqual(
      (await collect(petstore.accounts.all())).filter(({ id }) => id === account.id),
      [account]
    )
  },
  "the name of another account is rejected, in upper and lower case": async (petstore) => {
    await petstore.accounts.create({ name: "Shop" })
    await rejectsWith("account_name_taken", petstore.accounts.create({ name: "SHOP" }), { name: "SHOP" })
    await rejectsWith("account_name_taken", petstore.accounts.create({ name: "  shop " }), { name: "shop" })
  }
})
