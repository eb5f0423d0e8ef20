import { newEvent } from "../../domain/events/Event.ts"
import {
  acknowledge,
  claim,
  giveUp,
  isSuspect,
  type MessageRecord,
  toMessage
} from "../../domain/messages/MessageState.ts"
import type { Command } from "../../kernel/Command.ts"
import { claimableMessages, deliveredMessages, dueMessages, messages } from "../../tables/index.ts"
import type { Call } from "../Call.ts"

/** A claim of a message by a worker. */
export interface MessageClaim {
  readonly id: string
  readonly fence: number
  /** Since when it was due: what is given back keeps its place. Default: it is due when it is given back. */
  readonly dueAt?: string
}

export interface ClaimedMessage extends MessageClaim {
  readonly record: MessageRecord
}

/** Saves a locked message, with the event of an end. */
const save = (call: Call, record: MessageRecord, at: string): void => {
  call.tx.save(messages, record)
  if (record.status !== "queued") call.record(at, [newEvent(`message.${record.status}`, toMessage(record))])
}

/** What was claimed in a turn. */
interface ClaimedMessages {
  readonly items: ReadonlyArray<ClaimedMessage>
  /** Whether more are due. */
  readonly isCut: boolean
  /** Whether some are due that wait for the end of another one. */
  readonly areWaiting?: boolean
}

/**
 * How many messages are looked at beyond those that are claimed: more may not wait without a lease than a process gives back when it
 * closes.
 */
const mostWaiting = 40

interface MessageClaiming {
  /** The number of messages at most. */
  readonly limit: number
  /** Milliseconds that the claim lasts. */
  readonly lease: number
  /** Whether the turn is over. */
  readonly isOver: () => boolean
  /** Whether one that may end its process is in work. */
  readonly isSuspected: boolean
}

/**
 * Claims due messages until the turn is over. One that may end its process is claimed alone, and only if no other such one is in work, so
 * that none loses an attempt by another: meanwhile those with expired leases are not looked at, however many they are. Messages whose last
 * attempt was lost fail instead.
 */
export function* claimMessages(
  call: Call,
  { isOver, isSuspected, lease, limit }: MessageClaiming
): Command<ClaimedMessages> {
  const at = call.clockTime()
  const items: Array<ClaimedMessage> = []
  let isAlone = false
  let areWaiting = false
  const due = isSuspected
    ? yield* call.tx.claim(dueMessages, at, limit + mostWaiting)
    : yield* call.tx.claim(claimableMessages, at, limit)
  for (const record of due) {
    if (isSuspected && isSuspect(record)) {
      areWaiting = true
      continue
    }
    if (items.length === limit) break
    if (isAlone || (items.length > 0 && (isSuspect(record) || isOver()))) return { items, isCut: true }
    const after = claim(record, at, lease)
    if (after === undefined) continue
    save(call, after, at)
    if (after.status !== "queued") continue
    const { createdAt, dueAt = createdAt, id } = record
    items.push({ id, fence: after.lease.fence, dueAt, record: after })
    isAlone = isSuspect(record)
  }
  return { items, isCut: false, areWaiting }
}

interface ChangedMessages<C> {
  readonly changed: ReadonlyArray<C>
  /** How many were not looked at, because the turn was over. */
  readonly left: number
}

/** Changes messages until the turn is over, at least one, locked in ascending id, so that two transactions never wait for each other. */
export function* changeMessages<C extends MessageClaim>(
  call: Call,
  claims: ReadonlyArray<C>,
  at: string,
  to: (record: MessageRecord, claim: C) => MessageRecord | undefined,
  isOver = () => false
): Command<ChangedMessages<C>> {
  const locked = yield* call.tx.lockAll(
    messages,
    claims.map(({ id }) => id)
  )
  const changed: Array<C> = []
  for (const [place, claim] of claims.entries()) {
    if (place > 0 && isOver()) return { changed, left: claims.length - place }
    const record = locked.get(claim.id)
    const after = record && to(record, claim)
    if (after === undefined) continue
    save(call, after, at)
    changed.push(claim)
  }
  return { changed, left: 0 }
}

/**
 * Records that something other than a worker delivered a locked message, such as a webhook. A worker that has the message loses it.
 * Changes nothing if it is delivered.
 */
export const acknowledgeMessage = (call: Call, message: MessageRecord): void => {
  const at = call.now()
  const after = acknowledge(message, at)
  if (after !== undefined) save(call, after, at)
}

/**
 * Records that all but workers have failed to deliver a locked message, and why. Changes nothing unless the message is queued, or if
 * a worker has begun to deliver it.
 */
export const giveUpMessage = (call: Call, message: MessageRecord, error: string): void => {
  const at = call.now()
  const after = giveUp(message, error, at)
  if (after !== undefined) save(call, after, at)
}

/** Deletes a locked message. A worker that has it loses it. */
export const removeMessage = (call: Call, message: MessageRecord, at: string): void => {
  call.tx.remove(messages, message)
  call.record(at, [newEvent("message.deleted", { id: message.id })])
}

/** Deletes messages that were delivered before a time, and returns how many. */
export function* purgeMessages(call: Call, before: string, limit: number): Command<number> {
  const at = call.now()
  const delivered = yield* call.tx.claim(deliveredMessages, before, limit)
  for (const message of delivered) removeMessage(call, message, at)
  return delivered.length
}
