import { type One, useOne } from "../lists/useOne.ts"

export interface ResourceRecord {
  readonly createdAt: string
  readonly updatedAt: string
  readonly externalId?: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The record of a resource, which has a path. */
export const useRecord = (path: string): One<ResourceRecord> => useOne<ResourceRecord>(`${path}/record`)
