// The note of an unfinished copy into this store: how far it has come. The table is empty otherwise.
export const restore = `
CREATE TABLE petstore_restore (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  note TEXT NOT NULL
) STRICT;
`
