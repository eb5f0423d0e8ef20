/** How far the imports of files have come: a batch is written in the transaction of the rows that it counts. */
export const imports = `
CREATE TABLE petstore_imports (
  file TEXT NOT NULL CHECK (length(file) = 64),
  seq INTEGER NOT NULL CHECK (seq >= 1),
  run INTEGER NOT NULL CHECK (run BETWEEN 1 AND seq),
  settings TEXT NOT NULL CHECK (json_type(settings) = 'object'),
  line INTEGER NOT NULL CHECK (line >= 0),
  imported INTEGER NOT NULL CHECK (imported >= 0),
  rejected INTEGER NOT NULL CHECK (rejected >= 0),
  categories INTEGER NOT NULL CHECK (categories >= 0),
  rejections TEXT NOT NULL CHECK (json_type(rejections) = 'array' AND json_array_length(rejections) <= rejected),
  finished INTEGER NOT NULL CHECK (finished IN (0, 1)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (file, seq)
) STRICT, WITHOUT ROWID;
ALTER TABLE petstore_host_calls ADD COLUMN imports TEXT CHECK (json_type(imports) = 'array');
CREATE VIEW petstore_replay_imports (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_imports AFTER UPDATE OF imports ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_imports (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.imports) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_imports INSTEAD OF INSERT ON petstore_replay_imports WHEN NEW.write = 'insert imports'
  BEGIN INSERT INTO petstore_imports (file, seq, run, settings, line, imported, rejected, categories, rejections, finished, created_at)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9, NEW.vals ->> 10); END;
`
