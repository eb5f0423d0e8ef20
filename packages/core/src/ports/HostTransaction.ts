/**
 * A transaction that the host has open on its own connection to the database of a store. What it may be is each storage
 * adapter's to say, and to check: a connection, or what a bridge makes of a transaction of a library.
 */
export type HostTransaction = object
