import * as Effect from "effect/Effect"
import { type ConnectionSource, nameOf, ownSource } from "../../../src/postgres/connection/ConnectionSource.ts"
import { type Parameter, PostgresConnection, type Result } from "../../../src/postgres/connection/PostgresConnection.ts"

/** Faults of the connections of one store; each happens once after it is set. */
export interface Faults {
  /** The next COMMIT fails as on a full disk, whose transactions do not run again. */
  commit: boolean
  /** The next write fails as on a full disk. */
  write: boolean
}

const failingCommit = `CREATE TEMP TABLE fault (id int);
  CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'all is lost' USING ERRCODE = '53100'; END $$;
  CREATE CONSTRAINT TRIGGER fault AFTER INSERT ON fault DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION pg_temp.fail();
  INSERT INTO fault VALUES (1); COMMIT`

const fullDisk = "DO $$ BEGIN RAISE EXCEPTION 'all is lost' USING ERRCODE = '53100'; END $$"

const isWrite = (text: string): boolean => /^\s*(INSERT|UPDATE|DELETE|WITH)\b/i.test(text)

/** A connection that fails by the means of the server. */
class FaultyConnection extends PostgresConnection {
  private readonly faults: Faults

  constructor(connection: PostgresConnection, faults: Faults, prepares: boolean) {
    super(connection.client, prepares ? nameOf : undefined)
    this.faults = faults
  }

  override query(text: string, values?: ReadonlyArray<Parameter>): Promise<Result> {
    if (!this.faults.write || !isWrite(text)) return super.query(text, values)
    this.faults.write = false
    return super.run(fullDisk)
  }

  override run(text: string): Promise<Result> {
    if (!this.faults.commit || text !== "COMMIT") return super.run(text)
    this.faults.commit = false
    return super.run(failingCommit)
  }
}

/**
 * Connections to one server that many stores use one after the other, so that a test need not wait for the server to start
 * a process for each connection of each store.
 */
export class SharedConnections {
  private readonly own: ConnectionSource
  private readonly prepares: boolean
  private readonly idle: Array<PostgresConnection> = []

  private constructor(own: ConnectionSource, prepares: boolean) {
    this.own = own
    this.prepares = prepares
  }

  /** Connections to this database, which close with the scope. */
  static readonly open = (url: string, prepare: boolean) =>
    Effect.acquireRelease(
      Effect.map(
        ownSource(url, { connectTimeout: 10_000, lockTimeout: 5_000, prepare, statementTimeout: 30_000 }),
        (own) => new SharedConnections(own, prepare)
      ),
      (shared) => Effect.promise(() => shared.close())
    )

  /** The connections of one store, with faults of their own. */
  source(faults: Faults): ConnectionSource {
    const wrapped = new WeakMap<PostgresConnection, PostgresConnection>()
    return {
      ...this.own,
      connect: async () => {
        const connection = await this.take()
        const faulty = new FaultyConnection(connection, faults, this.prepares)
        wrapped.set(faulty, connection)
        return faulty
      },
      disconnect: async (faulty) => {
        faulty.detach()
        const connection = wrapped.get(faulty)
        if (connection !== undefined) await this.give(connection)
      },
      hold: () => {}
    }
  }

  /** Runs a statement outside of a store. */
  async run(text: string): Promise<Result> {
    const connection = await this.take()
    try {
      return await connection.run(text)
    } finally {
      await this.give(connection)
    }
  }

  private async take(): Promise<PostgresConnection> {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (!connection.broken) return connection
      await this.own.disconnect(connection)
    }
    const connection = await this.own.connect()
    // The server looks for deadlocks once a second; only a superuser may make it look sooner.
    await connection.run("SET deadlock_timeout = '20ms'").catch(() => {})
    return connection
  }

  private async give(connection: PostgresConnection): Promise<void> {
    // A store may leave a connection in the middle of a transaction, to be closed.
    await connection.run("ROLLBACK").catch(() => connection.break())
    connection.takeWarning()
    if (connection.broken) await this.own.disconnect(connection)
    else this.idle.push(connection)
  }

  private async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map((connection) => this.own.disconnect(connection)))
  }
}
