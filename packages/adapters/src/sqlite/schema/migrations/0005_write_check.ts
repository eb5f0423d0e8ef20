// A store updates this one row to find out whether it can write. Its value has no other meaning.
export const writeCheck = `
CREATE TABLE petstore_write_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at TEXT NOT NULL
) STRICT;
`
