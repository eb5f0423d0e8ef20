export * from "../access/AccessErrors.ts"
export * from "../orders/OrderErrors.ts"
export * from "../pets/PetErrors.ts"
export * from "../records/RecordErrors.ts"
export * from "./catalogue.ts"
export type { ErrorCode } from "./ErrorCode.ts"
export * from "./InputErrors.ts"
export {
  atIndex,
  type ErrorBody,
  type ErrorClass,
  type ErrorExtras,
  type Failure,
  failure,
  type ItemDetails,
  PetstoreError,
  type Violation
} from "./PetstoreError.ts"
export * from "./RequestErrors.ts"
export * from "./ServiceErrors.ts"
