/** Why ours loses: sentences that rows of the document refer to. */
export const reasons = {
  layers: "It runs schemas, limits and metrics that a program for one shop lacks.",
  cold: "Between syncs, one caller runs each line once, and V8 cold.",
  crowd: "Waiting requests cost garbage collection.",
  mixed: "Reads wait for groups of orders.",
  promise: "Each call checks its input, and returns a promise.",
  memory: "It keeps indexes, and can roll back.",
  transaction: "Its rows are read twice: by its calls, and at its end, which compares them.",
  turns: "Processes take turns at the file.",
  import: "It checks each row, and continues after failures.",
  flights: "It decides in your process, and numbers its events.",
  queue: "It keeps states, leases and retries.",
  consumer: "Another process can take over.",
  follower: "Each handles each event.",
  stream: "Streams can be resumed and revoked.",
  modules: "It loads more code.",
  pages: "Larger indexes exceed the cache."
} as const

export type Reason = keyof typeof reasons
