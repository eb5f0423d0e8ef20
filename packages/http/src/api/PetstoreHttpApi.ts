import * as HttpApi from "effect/http-api/HttpApi"
import { AccountsGroup } from "./Accounts.ts"
import { ApiKeysGroup } from "./ApiKeys.ts"
import { CategoriesGroup } from "./Categories.ts"
import { InventoryGroup } from "./Inventory.ts"
import { MessagesGroup } from "./Messages.ts"
import { OrdersGroup } from "./Orders.ts"
import { PetsGroup } from "./Pets.ts"

/** The contract of the REST API: every operation, relative to the base path. */
export class PetstoreHttpApi extends HttpApi.make("petstore").add(
  PetsGroup,
  CategoriesGroup,
  InventoryGroup,
  OrdersGroup,
  MessagesGroup,
  AccountsGroup,
  ApiKeysGroup
) {}
