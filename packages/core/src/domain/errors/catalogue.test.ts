import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { catalogue, fromBody, isErrorCode } from "./catalogue.ts"
import type { ErrorCode } from "./ErrorCode.ts"
import * as errors from "./index.ts"
import { PetstoreError } from "./PetstoreError.ts"

/** One error of each code, with the status it must have and the details it must have. */
const samples: { readonly [C in ErrorCode]: readonly [error: PetstoreError, status: number, details?: object] } = {
  malformed_json: [new errors.MalformedJson({}), 400],
  malformed_request: [new errors.MalformedRequest({}), 400],
  unsupported_content_type: [new errors.UnsupportedContentType({}), 400],
  validation_failed: [errors.ValidationFailed.of([{ path: "/body/name", message: "Missing field" }]), 400],
  invalid_cursor: [new errors.InvalidCursor({}), 400],
  invalid_idempotency_key: [new errors.InvalidIdempotencyKey({}), 400],
  url_not_allowed: [new errors.UrlNotAllowed({}), 400],
  unauthenticated: [new errors.Unauthenticated({}), 401],
  invalid_api_key: [new errors.InvalidApiKey({}), 401],
  cross_site_request: [new errors.CrossSiteRequest({}), 403],
  insufficient_scope: [new errors.InsufficientScope({ scope: "pets:write" }), 403, { scope: "pets:write" }],
  not_found: [errors.NotFound.of("pet", 7), 404, { kind: "pet", id: 7 }],
  method_not_allowed: [new errors.MethodNotAllowed({ allow: ["GET", "HEAD"] }), 405, { allow: ["GET", "HEAD"] }],
  incomplete_request: [new errors.IncompleteRequest({}), 408],
  insufficient_stock: [
    new errors.InsufficientStock({ petId: 7, requested: 3, available: 2 }),
    409,
    { petId: 7, requested: 3, available: 2 }
  ],
  pet_not_available: [
    new errors.PetNotAvailable({ petId: 7, status: "pending", quantity: 3 }),
    409,
    { petId: 7, status: "pending", quantity: 3 }
  ],
  pet_reserved: [new errors.PetReserved({ petId: 7, reserved: 3 }), 409, { petId: 7, reserved: 3 }],
  pet_has_open_orders: [new errors.PetHasOpenOrders({ petId: 7, reserved: 3 }), 409, { petId: 7, reserved: 3 }],
  invalid_status_transition: [
    new errors.InvalidStatusTransition({ petId: 7, from: "sold", to: "available" }),
    409,
    { petId: 7, from: "sold", to: "available" }
  ],
  quantity_below_reserved: [
    new errors.QuantityBelowReserved({ petId: 7, quantity: 1, reserved: 3 }),
    409,
    { petId: 7, quantity: 1, reserved: 3 }
  ],
  stock_limit_exceeded: [
    new errors.StockLimitExceeded({ petId: 7, quantity: 3_000_000_000, limit: 2_147_483_647 }),
    409,
    { petId: 7, quantity: 3_000_000_000, limit: 2_147_483_647 }
  ],
  order_limit_exceeded: [
    new errors.OrderLimitExceeded({ limit: "openOrders", maximum: 100, held: 100, requested: 1 }),
    409,
    { limit: "openOrders", maximum: 100, held: 100, requested: 1 }
  ],
  order_is_draft: [new errors.OrderIsDraft({}), 409],
  order_already_complete: [new errors.OrderAlreadyComplete({ orderId: 5 }), 409, { orderId: 5 }],
  unknown_pet: [new errors.UnknownPet({ petId: 7 }), 409, { petId: 7 }],
  unknown_category: [new errors.UnknownCategory({ categoryId: 3 }), 409, { categoryId: 3 }],
  unknown_account: [new errors.UnknownAccount({ accountId: 2 }), 409, { accountId: 2 }],
  category_name_taken: [new errors.CategoryNameTaken({ name: "Dogs" }), 409, { name: "Dogs" }],
  category_in_use: [new errors.CategoryInUse({ categoryId: 3 }), 409, { categoryId: 3 }],
  not_indexed: [new errors.NotIndexed({ name: "orders.createdAt" }), 400, { name: "orders.createdAt" }],
  external_id_taken: [new errors.ExternalIdTaken({ externalId: "A-1" }), 409, { externalId: "A-1" }],
  account_name_taken: [new errors.AccountNameTaken({ name: "till" }), 409, { name: "till" }],
  last_admin_key: [new errors.LastAdminKey({ keyId: 1 }), 409, { keyId: 1 }],
  message_already_delivered: [new errors.MessageAlreadyDelivered({ messageId: "msg_1" }), 409, { messageId: "msg_1" }],
  idempotency_in_progress: [new errors.IdempotencyInProgress({}), 409],
  cursor_expired: [new errors.CursorExpired({ earliest: 1042 }), 410, { earliest: 1042 }],
  operation_sunset: [
    new errors.OperationSunset({ sunset: "2030-12-05", successor: "/v1/store/pets/7" }),
    410,
    { sunset: "2030-12-05", successor: "/v1/store/pets/7" }
  ],
  precondition_failed: [new errors.PreconditionFailed({}), 412],
  payload_too_large: [new errors.PayloadTooLarge({ limit: 262_144 }), 413, { limit: 262_144 }],
  idempotency_key_reused: [new errors.IdempotencyKeyReused({}), 422],
  rate_limited: [new errors.RateLimited({ retryAfterSeconds: 2 }), 429, { retryAfterSeconds: 2 }],
  too_many_streams: [new errors.TooManyStreams({ limit: 100, of: "key" }), 429, { limit: 100, of: "key" }],
  headers_too_large: [new errors.HeadersTooLarge({}), 431],
  internal_error: [new errors.InternalError({}), 500],
  method_not_implemented: [new errors.MethodNotImplemented({}), 501],
  storage_busy: [new errors.StorageBusy({}), 503],
  storage_full: [new errors.StorageFull({}), 503],
  storage_unavailable: [new errors.StorageUnavailable({}), 503],
  overloaded: [new errors.Overloaded({}), 503],
  shutting_down: [new errors.ShuttingDown({}), 503],
  request_timeout: [new errors.RequestTimeout({}), 503],
  secret_unreadable: [new errors.SecretUnreadable({ webhookId: 7 }), 503, { webhookId: 7 }],
  commit_unknown: [new errors.CommitUnknown({}), 503]
}

describe("the catalogue of errors", () => {
  it("holds exactly the published codes", () => {
    assert.deepStrictEqual(Object.keys(catalogue).sort(), Object.keys(samples).sort())
  })

  it("holds every error class there is", () => {
    const classes = Object.values(errors).filter(
      (value) => typeof value === "function" && value.prototype instanceof PetstoreError
    )
    assert.sameMembers(classes, Object.values(catalogue))
  })

  it("knows its own codes only", () => {
    for (const code of Object.keys(samples)) assert.isTrue(isErrorCode(code))
    for (const code of ["", "teapot", "constructor", "toString", "__proto__", "NOT_FOUND"]) {
      assert.isFalse(isErrorCode(code))
    }
  })
})

for (const [code, [error, status, details]] of Object.entries(samples)) {
  describe(code, () => {
    it(`has the status ${status}, on the class and on each error`, () => {
      if (!isErrorCode(code)) return assert.fail("not in the catalogue")
      assert.strictEqual(catalogue[code].code, code)
      assert.strictEqual(catalogue[code].status, status)
      assert.isTrue(error instanceof catalogue[code])
      assert.strictEqual(error.code, code)
      assert.strictEqual(error.status, status)
    })

    it("is an Error with the name of its class, caught by name in Effect programs", () => {
      assert.instanceOf(error, Error)
      assert.isTrue(error instanceof PetstoreError)
      assert.strictEqual(error.name, error._tag)
      assert.strictEqual(error._tag.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase(), code)
      assert.include(error.stack ?? "", error.name)
    })

    it("has a message of whole sentences", () => {
      assert.match(error.message, /^[A-Z].*[.!]$|^The input is invalid\. ./s)
      assert.notMatch(error.message, /undefined|NaN|\[object/)
    })

    it("is sent as code, message and status, and its details where it has some", () => {
      const { violations } = error
      const body = {
        code,
        message: error.message,
        status,
        ...(violations === undefined ? {} : { violations }),
        ...(details === undefined ? {} : { details })
      }
      assert.deepStrictEqual(JSON.parse(JSON.stringify(error)), body)
      assert.deepStrictEqual(error.details ?? {}, details ?? {})
    })

    it("comes back from the wire as the same class with the same content", () => {
      const body = error.toJSON()
      const received = fromBody(JSON.parse(JSON.stringify(body)))
      assert.isTrue(received !== undefined && isErrorCode(code) && received instanceof catalogue[code])
      assert.deepStrictEqual(received?.toJSON(), body)
      assert.deepStrictEqual(received?.details, error.details)
    })

    it("keeps its cause to itself", () => {
      if (!isErrorCode(code)) return assert.fail("not in the catalogue")
      const Class: new (details: never, extras: errors.ErrorExtras) => PetstoreError = catalogue[code]
      const caused = new Class((details ?? {}) as never, { cause: new Error("SECRET path"), message: "It failed." })
      assert.instanceOf(caused.cause, Error)
      assert.strictEqual(caused.message, "It failed.")
      assert.notInclude(JSON.stringify(caused), "SECRET")
    })
  })
}

describe("an error", () => {
  it("given a stock below 0, then it does not blame open orders", () => {
    const { message } = new errors.QuantityBelowReserved({ petId: 7, quantity: -1, reserved: 0 })
    assert.strictEqual(message, "The stock of pet 7 cannot be -1. Take away fewer units.")
  })

  it("fails an Effect program when it is yielded", () => {
    const program = Effect.gen(function* () {
      return yield* new errors.UnknownPet({ petId: 7 })
    })
    const caught = program.pipe(
      Effect.catchTag("UnknownPet", ({ details }) => Effect.succeed(`no pet ${details.petId}`)),
      Effect.runSync
    )
    assert.strictEqual(caught, "no pet 7")
  })

  it("of a code that is not known is left to the caller", () => {
    assert.isUndefined(fromBody({ code: "dog_is_asleep", message: "Let it lie.", status: 409 }))
    assert.isUndefined(fromBody({ code: "constructor", message: "", status: 400 }))
  })

  it("of a host application is sent in the same shape", () => {
    class DogIsAsleep extends errors.failure(
      "DogIsAsleep",
      "dog_is_asleep",
      409,
      ({ petId }: { readonly petId: number }) => `Dog ${petId} is asleep. Let it lie.`
    ) {}
    assert.deepStrictEqual(new DogIsAsleep({ petId: 7 }).toJSON(), {
      code: "dog_is_asleep",
      message: "Dog 7 is asleep. Let it lie.",
      status: 409,
      details: { petId: 7 }
    })
  })

  it("of many violations names the first five in its message, and all in its body", () => {
    const violations = Array.from({ length: 8 }, (_, index) => ({ path: `/body/${index}`, message: "Unknown field" }))
    const error = errors.ValidationFailed.of(violations)
    assert.deepStrictEqual(error.violations, violations)
    assert.strictEqual(error.message.split("Unknown field").length - 1, 5)
    assert.match(error.message, /; 3 more$/)
    assert.isTrue(Result.isResult(Result.fail(error)))
  })
})
