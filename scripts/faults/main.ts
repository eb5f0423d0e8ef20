// Breaks what a store stands on, at one place in each run: system calls and statements of SQLite, or with --postgres the messages
// between a petstore and PostgreSQL: npm run test:faults [-- --postgres]
await import(process.argv.includes("--postgres") ? "./postgres.ts" : "./sqlite.ts")
