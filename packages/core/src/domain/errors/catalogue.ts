import * as Access from "../access/AccessErrors.ts"
import * as Order from "../orders/OrderErrors.ts"
import * as Pet from "../pets/PetErrors.ts"
import * as Record from "../records/RecordErrors.ts"
import type { ErrorCode } from "./ErrorCode.ts"
import * as Input from "./InputErrors.ts"
import type { ErrorBody, ErrorExtras } from "./PetstoreError.ts"
import * as Message from "./RequestErrors.ts"
import * as Request from "./RequestErrors.ts"
import * as Service from "./ServiceErrors.ts"

/** Every error class by its code. */
export const catalogue = {
  malformed_json: Input.MalformedJson,
  malformed_request: Input.MalformedRequest,
  unsupported_content_type: Input.UnsupportedContentType,
  validation_failed: Input.ValidationFailed,
  invalid_cursor: Input.InvalidCursor,
  not_indexed: Record.NotIndexed,
  url_not_allowed: Input.UrlNotAllowed,
  invalid_idempotency_key: Input.InvalidIdempotencyKey,
  unauthenticated: Access.Unauthenticated,
  invalid_api_key: Access.InvalidApiKey,
  insufficient_scope: Access.InsufficientScope,
  cross_site_request: Access.CrossSiteRequest,
  not_found: Request.NotFound,
  method_not_allowed: Request.MethodNotAllowed,
  incomplete_request: Input.IncompleteRequest,
  insufficient_stock: Order.InsufficientStock,
  pet_not_available: Order.PetNotAvailable,
  order_limit_exceeded: Order.OrderLimitExceeded,
  pet_reserved: Pet.PetReserved,
  pet_has_open_orders: Pet.PetHasOpenOrders,
  invalid_status_transition: Pet.InvalidStatusTransition,
  quantity_below_reserved: Pet.QuantityBelowReserved,
  stock_limit_exceeded: Pet.StockLimitExceeded,
  order_is_draft: Order.OrderIsDraft,
  order_already_complete: Order.OrderAlreadyComplete,
  unknown_pet: Order.UnknownPet,
  unknown_category: Pet.UnknownCategory,
  unknown_account: Access.UnknownAccount,
  category_name_taken: Pet.CategoryNameTaken,
  category_in_use: Pet.CategoryInUse,
  external_id_taken: Record.ExternalIdTaken,
  account_name_taken: Access.AccountNameTaken,
  last_admin_key: Access.LastAdminKey,
  message_already_delivered: Message.MessageAlreadyDelivered,
  idempotency_in_progress: Request.IdempotencyInProgress,
  cursor_expired: Request.CursorExpired,
  operation_sunset: Request.OperationSunset,
  precondition_failed: Request.PreconditionFailed,
  payload_too_large: Input.PayloadTooLarge,
  idempotency_key_reused: Request.IdempotencyKeyReused,
  rate_limited: Access.RateLimited,
  too_many_streams: Access.TooManyStreams,
  headers_too_large: Input.HeadersTooLarge,
  internal_error: Service.InternalError,
  method_not_implemented: Request.MethodNotImplemented,
  storage_busy: Service.StorageBusy,
  storage_full: Service.StorageFull,
  storage_unavailable: Service.StorageUnavailable,
  overloaded: Service.Overloaded,
  shutting_down: Service.ShuttingDown,
  request_timeout: Service.RequestTimeout,
  secret_unreadable: Service.SecretUnreadable,
  commit_unknown: Service.CommitUnknown
} as const satisfies Readonly<Record<ErrorCode, unknown>>

/** An error of the catalogue. Its `_tag` or `code` identifies its class. */
export type KnownError = InstanceType<(typeof catalogue)[ErrorCode]>

/** Whether a string is a code of the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(catalogue, code)

/** The typed error of a response body; undefined if the code is not in this catalogue (one of your own rules, a newer server). */
export const fromBody = (body: ErrorBody): KnownError | undefined => {
  if (!isErrorCode(body.code)) return undefined
  const Known: new (details: never, extras: ErrorExtras) => KnownError = catalogue[body.code]
  return new Known((body.details ?? {}) as never, {
    message: body.message,
    ...(body.violations === undefined ? {} : { violations: body.violations })
  })
}
