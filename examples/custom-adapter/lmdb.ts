import { constants } from "node:os"
import { resolve } from "node:path"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import { CommitUnknown, InternalError, StorageFull } from "@petstore/core/domain"
import * as Ports from "@petstore/core/ports"
import { Effect, Layer, type Scope } from "effect"
import { ABORT, open } from "lmdb"
import { LmdbLog } from "./LmdbLog.ts"
import { LmdbTable, type Root } from "./LmdbTable.ts"

const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno

/** The storage error for something that LMDB threw. */
const errorOf = (cause: unknown): Ports.StorageError => {
  const code = cause instanceof Error && "code" in cause ? Number(cause.code) : 0
  if ([EDQUOT, EFBIG, ENOSPC].includes(code)) return new StorageFull({}, { cause })
  return code === EIO ? new CommitUnknown({}, { cause }) : new InternalError({}, { cause })
}

/** One LMDB file, and how its transactions run. */
export class LmdbDatabase extends Toolkit.SynchronousDatabase {
  readonly root: Root
  readonly events: LmdbLog
  readonly tables: Array<LmdbTable> = []
  readonly rows: Toolkit.SynchronousRows
  override readonly errorOf = errorOf
  override readonly probe = () => void this.root.putSync(["probe"], Date.now())
  override readonly refresh = () => this.root.resetReadTxn()
  override readonly commits = new Toolkit.CommitNotifier({ read: () => this.events.last, errorOf })

  override transaction<A>(work: () => A): A {
    let end = (): A => work()
    this.root.transactionSync(() => {
      try {
        const value = work()
        end = () => value
        return undefined
      } catch (thrown) {
        end = () => {
          throw thrown
        }
        return ABORT
      }
    })
    return end()
  }

  constructor(path: string) {
    super()
    // Without overlappingSync a commit returns only when it is on the disk.
    this.root = open({ path, noSubdir: true, overlappingSync: false })
    this.events = new LmdbLog(this.root)
    this.rows = new Toolkit.SynchronousRows(this.events, (table) => {
      const kept = new LmdbTable(this.root, table)
      this.tables.push(kept)
      return kept
    })
  }
}

/** A store on an open database, until the scope closes. */
export const openStore = (database: LmdbDatabase): Effect.Effect<Ports.Storage["Service"], never, Scope.Scope> =>
  Effect.map(Toolkit.SynchronousConnection.open(database), (connection) => ({
    ...connection.operations,
    run: connection.runCommands(() => database.rows.source(), database.rows.write),
    inspect: connection.read(() => database.tables.flatMap((table) => table.problems())),
    backup: (file) => connection.work(() => database.root.backup(resolve(file), false)),
    reserve: (table, count) => connection.read(() => database.rows.reserve(table, count)),
    ...database.rows.ofPort(connection)
  }))

const databaseOf = Toolkit.sharedDatabase({ open: (file) => new LmdbDatabase(file), close: ({ root }) => root.close() })

/** A petstore in one LMDB file, which several stores and processes may share. */
export const lmdb = (file: string): Ports.StorageAdapter => ({
  name: "lmdb",
  layer: Layer.effect(Ports.Storage, Effect.flatMap(databaseOf(resolve(file)), openStore))
})
