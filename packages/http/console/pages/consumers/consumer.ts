export interface Consumer {
  readonly name: string
  readonly position: number
  readonly lag: number
  readonly types?: ReadonlyArray<string>
  readonly lease?: { readonly holder: string; readonly until: string }
  readonly attempts: number
  readonly retryAt?: string
  readonly lastError?: { readonly message: string; readonly at: string }
  readonly createdAt: string
}

export interface ParkedEvent {
  readonly seq: number
  readonly attempts: number
  readonly error: string
  readonly parkedAt: string
  readonly replaying: boolean
}

/** The path of a consumer. Names may have a colon. */
export const consumerPath = (name: string): string => `/consumers/${encodeURIComponent(name)}`
