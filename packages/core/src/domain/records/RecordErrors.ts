import { failure } from "../errors/PetstoreError.ts"
import type { ListIndex } from "./ListIndex.ts"

/** The store has no index for this order or filter of a list. Name it in the option `indexes`, or list without it. */
export class NotIndexed extends failure(
  "NotIndexed",
  "not_indexed",
  400,
  ({ name }: { readonly name: ListIndex }) =>
    `This list needs the index ${name}, which is not switched on. Add it to the option indexes of the petstore, or start petstore serve with --indexes ${name}.`
) {}

/** Another resource of the kind has the external id. Choose another one, or remove it there first. */
export class ExternalIdTaken extends failure(
  "ExternalIdTaken",
  "external_id_taken",
  409,
  ({ externalId }: { readonly externalId: string }) =>
    `The external id ${JSON.stringify(externalId)} is taken by another resource of the same kind. Choose another one, or remove it there first.`
) {}
