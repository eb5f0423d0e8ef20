import type { PostgresConnection } from "../connection/PostgresConnection.ts"

// Standbys are copies, databases of the same cluster are not.
const select = `SELECT system_identifier || ' ' || (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) AS identity
  FROM pg_catalog.pg_control_system()`

/** The identity of a database, which it shares with its standbys alone. */
export const clusterIdentity = async (connection: PostgresConnection): Promise<string> => {
  const { rows } = await connection.query(select)
  return String(rows[0]?.identity)
}

/** Whether a connection leads to a copy of the database with this identity. */
export const isOfCluster = async (connection: PostgresConnection, identity: string): Promise<boolean> =>
  (await clusterIdentity(connection)) === identity
