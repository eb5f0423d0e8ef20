import { allPackages, type Subject } from "./Subject.ts"

const sqlite = "packages/adapters/src/sqlite"
const files = `${sqlite}/connection/DatabaseFiles.ts`
const head = `${sqlite}/events/EventLogHead.ts`
const commits = `${sqlite}/commit/GroupCommit.ts`

export const databaseFiles: Subject = {
  name: "files",
  suite: {
    tests: [
      `${sqlite}/connection/{DatabaseFiles,permissions}.int.test.ts`,
      `${sqlite}/backup/backup.int.test.ts`,
      `${sqlite}/events/EventLogHead.int.test.ts`,
      `${sqlite}/commit/{Readiness,GroupCommit,Checkpoints}.int.test.ts`,
      `${sqlite}/commit/losses.long.test.ts`,
      "packages/core/src/adapter-toolkit/SynchronousDatabase.test.ts"
    ],
    // The others start programs, or write for long.
    names:
      "^(?!given a file that may not grow|given a disk that is full|given acknowledged writes|given that petstore.db|given that nothing was lost|given that the database file was cut off|given another process that writes all the time|given a process that writes alone)",
    packages: allPackages
  },
  guards: [
    [
      "packages/core/src/adapter-toolkit/SynchronousConnection.ts",
      "this.working.size === 0 ? Effect.void : Effect.promise(() => Promise.allSettled(this.working))",
      "Effect.void"
    ],
    [files, "this.logSize < this.logEnd ? this.lookAtEachPage() : undefined", "undefined"],
    [files, "if (this.logSize < this.logEnd) return false", ""],
    [files, "return this.numberAt(this.placeOf(page)) !== 0", "return true"],
    [files, "this.looks < looksPerCount && ", ""],
    [files, "this.pages < manyPages && this.keepsLogSize", "this.pages < manyPages"],
    [files, " && (this.looks === 0 || this.keepsLogSize)", ""],
    [files, "this.folder?.isUnchanged() === true ? undefined : this.lookAtPaths()", "undefined"],
    [files, "if (stats.size < this.size) return", "if (false) return"],
    [files, "size === 0 || (!this.shrinks && ", "(!this.shrinks && "],
    [files, "!this.shrinks && ", ""],
    [files, "let problem = this.loss", "let problem: Error | undefined"],
    [files, "if (this.areLost) this.folder?.forget()", ""],
    [files, "if (this.problem() !== undefined && this.writer.database.isOpen) this.writer.database.close()", ""],
    [head, "/^(\\d+) (\\S+) \\1\\n/", "/^(\\d+) (\\S+)/"],
    [`${sqlite}/connection/regularFile.ts`, "if (kind !== undefined) throw", "if (false) throw"],
    [head, "if (removed >= seq) return undefined", ""],
    [head, "idOf(eventId) === id ?", "true ?"],
    [
      head,
      "if (machineClock.now() - this.openedAt >= reopeningMillis) this.open()",
      "if (this.file === undefined) this.open()"
    ],
    [`${sqlite}/connection/open.ts`, "if (problem !== undefined) throw", "if (false) throw"],
    [`${sqlite}/connection/open.ts`, "existsSync(file) && statSync(file).size > emptyBytes", "existsSync(file)"],
    [`${sqlite}/connection/regularFile.ts`, "  chmodSync(path, mode)\n", ""],
    [`${sqlite}/backup/backup.ts`, "  await sync(partial)\n", ""],
    [`${sqlite}/commit/Readiness.ts`, "if (!hasDiskSpace(this.file, freeBytes)) return Effect.fail(full)", ""],
    [commits, "else if (latestEvent !== undefined) this.head.record(latestEvent)", ""],
    [
      commits,
      "if (group.lost === undefined) this.commit(group, areShared)",
      "if (latest !== undefined) this.head.record(latest)\n    if (group.lost === undefined) this.commit(group, areShared)"
    ],
    [commits, "const cause = this.files.problemAfterCommit()", "const cause = undefined"],
    [commits, "const lost = this.files.problemOfSizes(isAlone)", "const lost = undefined"],
    [commits, "this.files.areLost ? this.refusal() : undefined", "undefined"],
    [commits, "      this.lastIds = undefined\n      this.version", "      this.version"],
    [commits, "group.wrote ? new CommitUnknown({}, { cause }) : refusalOf(cause)", "refusalOf(cause)"],
    [commits, "const unknown = new CommitUnknown({}, { cause })", "throw cause"],
    [`${sqlite}/commit/Checkpoints.ts`, "if (this.files.areLost) return", ""]
  ]
}
