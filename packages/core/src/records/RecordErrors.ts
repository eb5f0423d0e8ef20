import { failure } from "../domain/errors/PetstoreError.ts"

/** Another resource of the kind has the external id. Choose another one, or remove it there first. */
export class ExternalIdTaken extends failure(
  "ExternalIdTaken",
  "external_id_taken",
  409,
  ({ externalId }: { readonly externalId: string }) =>
    `The external id ${JSON.stringify(externalId)} is taken by another resource of the same kind. Choose another one, or remove it there first.`
) {}
