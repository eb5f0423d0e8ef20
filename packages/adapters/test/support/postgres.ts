export { type Binaries, binariesIn, findBinaries } from "./postgres/Binaries.ts"
export { PostgresServer, type PostgresServerOptions, postgresServer } from "./postgres/PostgresServer.ts"
export { TcpProxy, tcpProxy } from "./postgres/TcpProxy.ts"
export { query, sharedServer, testDatabase, testDatabaseOf } from "./postgres/testDatabase.ts"
