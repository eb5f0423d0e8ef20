/** Why ours loses: sentences that rows of the document refer to. */
export const reasons = {
  layers: "Schemas, rules, limits and metrics run for each request and row; a program for one shop leaves them out.",
  cold: "Between two syncs a single caller runs each line once, before V8 has compiled it.",
  crowd: "More requests wait in memory, which costs garbage collection.",
  mixed: "Reads wait while a group of orders runs on the same thread.",
  promise: "Each call checks its input and returns a promise.",
  memory: "It keeps indexes, a ledger and events that Maps lack, and can roll back.",
  transaction: "Each transaction has its own savepoint, and its calls wait for each other.",
  turns: "Processes take turns at the file.",
  import: "It checks each row by the rules, and can continue after a failure.",
  flights: "It locks and decides in your process, in two round trips.",
  queue: "It keeps states, events and retries of each message.",
  consumer: "It records progress so that another process can take over.",
  follower: "Each follower handles each event.",
  stream: "Streams can be resumed, filtered and revoked.",
  modules: "It loads more code.",
  pages: "Larger indexes need more pages than the cache has."
} as const

export type Reason = keyof typeof reasons
