/**
 * A transaction that the host application has open on its own connection to the database of a store. Each storage adapter
 * documents and checks what it accepts: for example a connection, or a transaction of a query builder in an adapter's bridge.
 */
export type HostTransaction = object
