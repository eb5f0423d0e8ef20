/** What the page reads of the data of events. It shows all of it. */
export interface EventData {
  readonly id?: number | string
  readonly categoryId?: number
  readonly name?: string
  readonly version?: number
  readonly petId?: number
  readonly quantity?: number
  readonly available?: number
  readonly reserved?: number
  readonly complete?: boolean
  readonly shipDate?: string
  readonly status?: string
  readonly previous?: string
  readonly message?: string
}

export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly seq: number
  readonly subject: string
  readonly data: EventData
}

export const families = ["order", "inventory", "pet", "message", "webhook"] as const
export type Family = (typeof families)[number]
export const familyOf = (type: string): Family => {
  const first = type.slice(0, type.indexOf("."))
  return (families as ReadonlyArray<string>).includes(first) ? (first as Family) : "pet"
}
