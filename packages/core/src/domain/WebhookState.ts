/** Why an endpoint gets no events: its owner disabled it, it responded 410, or it failed for days. */
export type WebhookDisabledReason = "requested" | "gone" | "failing"

/** The part of an endpoint that its events carry. The URL is not in it, since it may contain a token. */
export interface WebhookState {
  readonly id: number
  readonly types?: ReadonlyArray<string>
  readonly description?: string
  readonly ordered: boolean
  readonly concurrency: number
  readonly enabled: boolean
  readonly disabledReason?: WebhookDisabledReason
  readonly disabledAt?: string
  readonly createdAt: string
}
