export * from "./AccessErrors.ts"
export * from "./catalogue.ts"
export * from "./InputErrors.ts"
export * from "./OrderErrors.ts"
export * from "./PetErrors.ts"
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
export * from "./RecordErrors.ts"
export * from "./RequestErrors.ts"
export * from "./ServiceErrors.ts"
