import { catalogue, type ErrorBody, type ErrorCode } from "@petstore/core/domain"

/** What the example of an error says beside its code, where it says more. */
const details: { readonly [Code in ErrorCode]?: ConstructorParameters<(typeof catalogue)[Code]>[0] } = {
  insufficient_scope: { scope: "pets:write" },
  method_not_allowed: { allow: ["GET", "HEAD"] },
  insufficient_stock: { petId: 7, requested: 4, available: 3 },
  pet_not_available: { petId: 7, status: "sold", quantity: 0 },
  pet_reserved: { petId: 7, reserved: 2 },
  pet_has_open_orders: { petId: 7, reserved: 2 },
  invalid_status_transition: { petId: 7, from: "sold", to: "available" },
  quantity_below_reserved: { petId: 7, quantity: 1, reserved: 2 },
  order_already_complete: { orderId: 12 },
  unknown_pet: { petId: 99 },
  unknown_category: { categoryId: 99 },
  category_name_taken: { name: "Dogs" },
  category_in_use: { categoryId: 3 },
  unknown_account: { accountId: 99 },
  account_name_taken: { name: "Corner shop" },
  last_admin_key: { keyId: 5 },
  operation_sunset: { sunset: "2030-12-05", successor: "/v1/store/pets/7" },
  payload_too_large: { limit: 262_144 },
  rate_limited: { retryAfterSeconds: 1 }
}

/** An example of what is answered with a code. Any operation refuses a query parameter that it does not know. */
export const errorExample = (code: ErrorCode): ErrorBody => {
  if (code === "validation_failed") {
    return catalogue.validation_failed.of([{ path: "/query/colour", message: "Unknown parameter" }]).toJSON()
  }
  // Each code has the details of its own class.
  const Known: new (details: never) => { readonly toJSON: () => ErrorBody } = catalogue[code]
  return new Known((details[code] ?? {}) as never).toJSON()
}
