// Another program that writes to a file all the time, a quarter of a megabyte at once: `append-blobs FILE`.

import { DatabaseSync } from "node:sqlite"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv
const database = new DatabaseSync(file, { timeout: 5_000 })
database.exec("PRAGMA wal_autocheckpoint = 0")
const append = database.prepare("INSERT INTO blobs VALUES (zeroblob(250000))")
writeLine("started")
const sleeper = new Int32Array(new SharedArrayBuffer(4))
for (;;) {
  append.run()
  // So that others get the lock now and then.
  Atomics.wait(sleeper, 0, 0, 1)
}
