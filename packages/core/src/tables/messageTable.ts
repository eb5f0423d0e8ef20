import { MessageStatus } from "../domain/messages/Message.ts"
import { claimTimes, type MessageRecord, stateProblem } from "../domain/messages/MessageState.ts"
import { type Condition, columnsOf, isOneOf, query, table } from "../kernel/Table.ts"

const message = columnsOf<MessageRecord>()

const isWaiting: ReadonlyArray<Condition> = [
  { column: "status", is: "queued" },
  { column: "lease_until", isPresent: false }
]

/** The queue of messages. */
export const messages = table<MessageRecord, string>("messages", {
  key: ["id"],
  columns: {
    id: message.text("id"),
    message: message.text("message"),
    status: message.text("status"),
    created_at: message.time("createdAt"),
    attempts: message.integer("attempts"),
    fence: message.integer("lease.fence"),
    lease_until: message.time("lease.until?"),
    due_at: message.time("dueAt?"),
    finished_at: message.time("finishedAt?"),
    last_error: message.text("lastError?"),
    trace: message.text("trace?")
  },
  checks: [
    isOneOf("status", MessageStatus.literals),
    "attempts >= 0",
    "fence >= attempts",
    "lease_until IS NULL OR (status = 'queued' AND attempts >= 1)",
    "due_at IS NULL OR (status = 'queued' AND lease_until IS NULL)",
    "(finished_at IS NULL) = (status = 'queued')",
    `CASE status WHEN 'delivered' THEN last_error IS NULL WHEN 'failed' THEN last_error IS NOT NULL ELSE TRUE END`
  ],
  isWide: true,
  problemOf: stateProblem,
  computed: {
    due: { sql: "coalesce(due_at, created_at)", read: ({ createdAt, dueAt }) => dueAt ?? createdAt }
  },
  indexes: {
    status: { equal: ["status"], order: ["id"] },
    due: { order: ["due", "id"], where: isWaiting },
    leased: { order: ["lease_until", "id"], where: [{ column: "lease_until", isPresent: true }] },
    delivered: { order: ["finished_at", "id"], where: [{ column: "status", is: "delivered" }] }
  }
})

const rangesOfMessages = ({
  after,
  status
}: {
  readonly status: MessageStatus | undefined
  readonly after: string
}) => [status === undefined ? { after: [after] } : { index: "status", equal: { status }, after: [after] }]

/** The messages, perhaps of a status, in ascending id. */
export const messagesBy = query(messages, "messagesBy", rangesOfMessages)

/** The same messages, the newest first. */
export const messagesReversedBy = query(messages, "messagesReversedBy", rangesOfMessages, { isReversed: true })

const rangesOfDue = ({ longestDelay, now }: ReturnType<typeof claimTimes>) => [
  { index: "due", to: now },
  { index: "due", after: [longestDelay] }
]

/** The messages that a worker may claim at a time: those with expired leases first. */
export const claimableMessages = query(messages, "claimableMessages", (time: string) => {
  const times = claimTimes(time)
  const { longestLease, now } = times
  return [{ index: "leased", to: now }, { index: "leased", after: [longestLease] }, ...rangesOfDue(times)]
})

/** Those of them without a lease. */
export const dueMessages = query(messages, "dueMessages", (time: string) => rangesOfDue(claimTimes(time)))

/** The leased messages, in the order in which their leases expire. */
export const leasedMessages = query(messages, "leasedMessages", () => [{ index: "leased" }])

/** The messages that wait, in the order in which they are due. */
export const waitingMessages = query(messages, "waitingMessages", () => [{ index: "due" }])

/** The messages that were delivered before a time, the first ones first. */
export const deliveredMessages = query(messages, "deliveredMessages", (before: string) => [
  { index: "delivered", before }
])
