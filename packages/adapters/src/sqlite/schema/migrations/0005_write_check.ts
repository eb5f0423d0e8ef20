// The one row that a store writes to find out whether it can. What it holds means nothing else.
export const writeCheck = `
CREATE TABLE petstore_write_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at TEXT NOT NULL
) STRICT;
`
