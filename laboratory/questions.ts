import type { MeasuredQuestion } from "./measure/comparisons.ts"
import type { Flags, Question } from "./Question.ts"

/** A row. Its program gets the values of its own flags. */
const question = <const F extends Flags = Record<never, never>>(row: Omit<Question<F>, "flags"> & { flags?: F }) =>
  ({ flags: {}, ...row }) as unknown as Question

/** A comparison with peers, and how long it takes. */
const measured = (asks: string, minutes: number, ...names: ReadonlyArray<MeasuredQuestion>): Question =>
  question({
    asks,
    when: "hand",
    minutes,
    flags: {
      only: {
        takes: "text",
        means: "the row with this name, such as order; if there is none, those with it in their names"
      },
      quick: { means: "two short turns, to see that everything runs" },
      force: { means: "although other programs use the processors" },
      write: { means: "fills docs/performance.md" },
      check: { means: "measures nothing, and checks that docs/performance.md has these rows" }
    },
    needs: ["build", "laboratory/measure/peers"],
    load: async () => {
      const { measure } = await import("./measure/main.ts")
      return { ask: (lab) => measure(lab, names) }
    }
  })

/** Everything that is asked about this engine, and of no shop. */
export const questions: Readonly<Record<string, Question>> = {
  nodes: question({
    asks: "Does it run on the oldest and the newest Node.js?",
    when: "change",
    minutes: 5,
    needs: ["tools/platforms"],
    load: async () => ({ ask: (await import("./suites.ts")).nodes })
  }),
  long: question({
    asks: "What do clusters, killed processes and faults that need real time do to it?",
    when: "night",
    minutes: 25,
    load: async () => ({ ask: (await import("./suites.ts")).long })
  }),
  contracts: question({
    asks: "Do all contracts hold, each in every way of opening a petstore?",
    when: "night",
    minutes: 20,
    load: async () => ({ ask: (await import("./suites.ts")).contracts })
  }),
  model: question({
    asks: "Does a history of calls over a network that fails have the results of the model?",
    when: "night",
    minutes: 4,
    rounds: 40,
    load: async () => ({ ask: (await import("./suites.ts")).model })
  }),
  fuzz: question({
    asks: "Does every response to random requests conform to the OpenAPI description?",
    when: "night",
    minutes: 2,
    rounds: 10,
    load: () => import("./fuzz/fuzz.ts")
  }),
  explore: question({
    asks: "Do commands that run at once end as if one had run after the other?",
    when: "hand",
    minutes: 1,
    flags: {
      triples: { means: "three at once instead of two; 20 minutes" },
      weakened: { means: "each lock weakened, and which commands need it" }
    },
    load: () => import("./explore/main.ts")
  }),
  path: question({
    asks: "How much of the product runs for one warm call?",
    when: "hand",
    minutes: 1,
    flags: {
      files: { takes: "text", means: "lists the files of calls with this in their name" },
      check: { means: "finds calls that pass more than laboratory/path/limits.ts allows" }
    },
    load: () => import("./path/main.ts")
  }),
  simulate: question({
    asks: "What do clients see when processes, the network and the database fail?",
    when: "hand",
    minutes: 6,
    rounds: 500,
    flags: {
      steps: { takes: "number", means: "calls of the clients" },
      faults: { takes: "text", means: "only these, with commas between them" },
      trace: { means: "prints what happens" }
    },
    load: () => import("./simulate/main.ts")
  }),
  differential: question({
    asks: "Do all ways to call a petstore have the same results, errors and events?",
    when: "hand",
    minutes: 40,
    rounds: 2_000,
    load: () => import("./differential/main.ts")
  }),
  mutate: question({
    asks: "Which random faults of the core does nobody see?",
    when: "hand",
    minutes: 5,
    rounds: 100,
    flags: {
      in: { takes: "text", means: "only sources with this in their path, such as programs/orders" },
      matrix: { means: "which groups of the contracts and files of unit tests see each fault, up to six" },
      into: { takes: "text", means: "a file to which the faults are added, and which counts" },
      most: { takes: "number", means: "fails if nobody sees a larger part, in percent; 15 if absent" }
    },
    load: () => import("./mutate/main.ts")
  }),
  mutants: question({
    asks: "Would the tests notice each guard of the lists missing?",
    when: "hand",
    minutes: 60,
    flags: {
      only: { takes: "text", means: "a subject of guards, or a part of a file name or of a fault" },
      postgres: { means: "the locks of PostgreSQL's statements, and transactions of hosts" }
    },
    load: () => import("./mutants/main.ts")
  }),
  faults: question({
    asks: "Is anything acknowledged lost when one call, statement or message fails?",
    when: "hand",
    minutes: 40,
    rounds: 100_000,
    flags: {
      postgres: { means: "messages between a petstore and PostgreSQL, instead of calls of SQLite" },
      first: { means: "only the first call of each kind" },
      of: { takes: "text", means: "call or statement; client, server or connection" },
      at: { takes: "number", means: "only the call or message with this number" },
      error: { takes: "text", means: "only this, such as EIO or cut-before" },
      persists: { takes: "text", means: "true or false" },
      lines: { means: "prints what the scenario says" }
    },
    load: () => import("./faults/main.ts")
  }),
  crashes: question({
    asks: "Is what was acknowledged in the file after kill -9 and loss of power?",
    when: "hand",
    minutes: 25,
    rounds: 200,
    load: () => import("./crashes/main.ts")
  }),
  failover: question({
    asks: "Is what was acknowledged there after the leader of a cluster died under load?",
    when: "hand",
    minutes: 10,
    rounds: 10,
    load: () => import("./failover/main.ts")
  }),
  "postgres-versions": question({
    asks: "Do the contracts hold on PostgreSQL 14 to 17?",
    when: "hand",
    minutes: 25,
    needs: ["tools/postgres-versions"],
    load: async () => ({ ask: (await import("./suites.ts")).postgresVersions })
  }),
  capabilities: question({
    asks: "What can each adapter do?",
    when: "hand",
    minutes: 10,
    flags: {
      write: { means: "updates docs/capabilities.md" },
      list: { means: "runs no case" }
    },
    load: () => import("./capabilities/main.ts")
  }),
  consoles: question({
    asks: "Do 50 open consoles leave 500 orders a second their rate and their p99?",
    when: "hand",
    minutes: 2,
    rounds: 4,
    load: () => import("./consoles/main.ts")
  }),
  shares: question({
    asks: "What does one key at its most expensive requests leave to the others?",
    when: "hand",
    minutes: 6,
    flags: {
      only: { takes: "text", means: "only these requests, with commas between them" },
      rate: {
        takes: "text",
        means: "requests a second of the others, with commas between them; 0 for one after the other"
      },
      connections: { takes: "text", means: "numbers of connections of the key" }
    },
    needs: ["build"],
    load: () => import("./shares/main.ts")
  }),
  demo: question({
    asks: "Does a shop keep its promises from import to kill -9 under the load of 32 clients?",
    when: "hand",
    minutes: 1,
    needs: ["build"],
    load: () => import("./demo/main.ts")
  }),
  performance: measured(
    "Where is it slower than what users write by hand, or else take?",
    12,
    "http",
    "calls",
    "postgres",
    "queues",
    "followers",
    "start",
    "growth"
  ),
  http: measured("How fast are requests, of servers by hand and on frameworks?", 5, "http"),
  calls: measured("How fast are calls in the process, and imports, of statements by hand?", 2, "calls"),
  postgres: measured("How fast are orders on PostgreSQL, of transactions by hand?", 1, "postgres"),
  queues: measured("How fast are messages, webhooks and consumers, of queues by hand and of libraries?", 1, "queues"),
  followers: measured("What do consumers and subscribers cost an order?", 1, "followers"),
  start: measured("How long does a start take, and how much memory and disk does a store?", 1, "start"),
  growth: measured("What does a store of a million cost a call?", 2, "growth")
}
