// Queues on PostgreSQL of libraries that only the peers have.

/** A queue: `enqueue` returns when a message is durable. */
export interface Queue {
  readonly enqueue: (message: string) => Promise<unknown>
}

interface Boss {
  readonly on: (event: "error", listener: (error: unknown) => void) => void
  readonly start: () => Promise<unknown>
  readonly createQueue: (name: string) => Promise<unknown>
  readonly send: (name: string, data: object) => Promise<unknown>
  readonly fetch: (name: string, options: object) => Promise<ReadonlyArray<{ readonly id: string }>>
  readonly complete: (name: string, ids: ReadonlyArray<string>) => Promise<unknown>
}

const bossModule: string = "pg-boss"
const workerModule: string = "graphile-worker"

/** pg-boss. Its workers poll twice a second, so messages are fetched here as fast as they are handled. */
export const pgBoss = async (url: string, onMessage?: () => void): Promise<Queue> => {
  const { PgBoss } = (await import(bossModule)) as { readonly PgBoss: new (url: string) => Boss }
  const boss = new PgBoss(url)
  boss.on("error", console.error)
  await boss.start()
  await boss.createQueue("bench")
  const deliver = async (): Promise<void> => {
    const jobs = await boss.fetch("bench", { batchSize: 100 })
    for (const _ of jobs) onMessage?.()
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    else
      await boss.complete(
        "bench",
        jobs.map(({ id }) => id)
      )
    void deliver()
  }
  if (onMessage !== undefined) void deliver()
  return { enqueue: (message) => boss.send("bench", { message }) }
}

interface GraphileWorker {
  readonly makeWorkerUtils: (options: object) => Promise<{
    readonly migrate: () => Promise<void>
    readonly addJob: (task: string, payload: object) => Promise<unknown>
  }>
  readonly run: (options: object) => Promise<unknown>
  readonly Logger: new (factory: () => () => void) => object
}

/** graphile-worker, which hears of new messages by LISTEN, with its local queue. */
export const graphileWorker = async (url: string, onMessage?: () => void): Promise<Queue> => {
  const { Logger, makeWorkerUtils, run } = (await import(workerModule)) as GraphileWorker
  const options = { connectionString: url, logger: new Logger(() => () => {}) }
  const { addJob, migrate } = await makeWorkerUtils(options)
  await migrate()
  const taskList = { bench: async () => onMessage?.() }
  if (onMessage !== undefined)
    await run({
      ...options,
      taskList,
      concurrency: 10,
      noHandleSignals: true,
      preset: { worker: { localQueue: { size: 100 } } }
    })
  return { enqueue: (message) => addJob("bench", { message }) }
}
