import { InternalError } from "@petstore/core/domain"
import type { OnSchemaStep } from "@petstore/core/ports"
import { storedWords } from "@petstore/core/tables"
import type { Parameter, PostgresConnection } from "../connection/PostgresConnection.ts"
import { definingSettings } from "../connection/settings.ts"
import { literal } from "../schema/migrate.ts"
import { binaryArray } from "../statements/binaryArray.ts"
import { definedIn, inSchema } from "../statements/dialect.ts"

/** What separates the words of a name in ASCII. The others are letters and digits that blanks separate. */
const signs = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~"

/** The longest beginning of a word that is an entry of its own: those of a longer one are collected before the first pet is read. */
const longestBeginning = 16

/** The powers of two that ids of a block have in common. */
const blockBits = { narrow: 10, wide: 13, widest: 16 }
/** After how many blocks a search passes over ids that no pet has, of which there may be any number. */
const blocksUntilGap = 16
const blockSigns = { narrow: "#0:", wide: "#1:", widest: "#2:" }

/**
 * What a search asks for of a pet: the beginnings of the words of its name, where COLLATE "C" lowers ASCII alone, and the blocks of its id,
 * whose signs are in no word.
 */
const lexemes = (pet: string): string =>
  `array_to_tsvector(ARRAY(SELECT left(word, length)
      FROM unnest(string_to_array(translate(lower(coalesce(${pet}.words, ${pet}.name) COLLATE "C"),
        E'${signs.replaceAll("\\", "\\\\")}', repeat(' ', ${signs.length - 1})), ' ')) AS word,
        generate_series(1, least(length(word), ${longestBeginning + 1})) AS entry,
        LATERAL (SELECT CASE WHEN entry > ${longestBeginning} THEN length(word) ELSE entry END AS length) AS part)
    || ARRAY['${blockSigns.narrow}' || (${pet}.id >> ${blockBits.narrow}), '${blockSigns.wide}' || (${pet}.id >> ${blockBits.wide}),
      '${blockSigns.widest}' || (${pet}.id >> ${blockBits.widest})])`

/**
 * Triggers keep the index, also for programs without the option. It is apart from the pets, so that orders, which change their rows, do not
 * touch it. A search goes through blocks of ids, which widen while it finds little, so that a page of common words reads no more of them than
 * it shows. A function searches a block, whose settings leave the planner no other way: it would rather read all pets. While the index is
 * built, it has a row 0, whose `built` is the last pet in it, and searches by petstores that were open before fail.
 */
const parts = `
CREATE TABLE petstore_pets_words (rowid bigint PRIMARY KEY, found tsvector NOT NULL, built bigint);
CREATE INDEX @petstore_pets_words_found ON petstore_pets_words USING gin (found) WITH (fastupdate = off);
CREATE FUNCTION petstore_keep_words() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' OR NEW.deleted THEN
      DELETE FROM petstore_pets_words WHERE rowid = OLD.id;
    ELSE
      INSERT INTO petstore_pets_words (rowid, found) VALUES (NEW.id, ${lexemes("NEW")})
        ON CONFLICT (rowid) DO UPDATE SET found = excluded.found;
    END IF;
    RETURN NULL;
  END $$;
CREATE FUNCTION petstore_word_blocks(place bigint, direction bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE ROWS 32 AS $$
  DECLARE
    first bigint;
    last bigint;
    block_start bigint;
    next_pet bigint;
    bits int;
    tried int := 0;
  BEGIN
    SELECT min(rowid), max(rowid) INTO first, last FROM petstore_pets_words;
    IF first = 0 THEN RAISE 'The index of words is being built' USING ERRCODE = 'lock_not_available'; END IF;
    block_start := CASE WHEN direction > 0 THEN (place + 1) >> ${blockBits.narrow}
      ELSE (least(place - 1, last) >> ${blockBits.narrow}) + 1 END << ${blockBits.narrow};
    WHILE CASE WHEN direction > 0 THEN block_start <= last ELSE block_start > 0 END LOOP
      IF tried % ${blocksUntilGap} = 0 THEN
        IF direction > 0 THEN
          SELECT min(rowid) INTO next_pet FROM petstore_pets_words WHERE rowid >= block_start;
          block_start := greatest(block_start, next_pet >> ${blockBits.widest} << ${blockBits.widest});
        ELSE
          SELECT max(rowid) INTO next_pet FROM petstore_pets_words WHERE rowid < block_start;
          EXIT WHEN next_pet IS NULL;
          block_start := least(block_start, ((next_pet >> ${blockBits.widest}) + 1) << ${blockBits.widest});
        END IF;
      END IF;
      bits := least(
        CASE WHEN tried < 8 THEN ${blockBits.narrow} WHEN tried < 16 THEN ${blockBits.wide} ELSE ${blockBits.widest} END,
        CASE WHEN block_start & ((1 << ${blockBits.widest}) - 1) = 0 THEN ${blockBits.widest}
          WHEN block_start & ((1 << ${blockBits.wide}) - 1) = 0 THEN ${blockBits.wide} ELSE ${blockBits.narrow} END);
      IF direction < 0 THEN block_start := block_start - (1 << bits); END IF;
      RETURN NEXT CASE bits WHEN ${blockBits.narrow} THEN '${blockSigns.narrow}' WHEN ${blockBits.wide} THEN '${blockSigns.wide}'
        ELSE '${blockSigns.widest}' END || (block_start >> bits);
      IF direction > 0 THEN block_start := block_start + (1 << bits); END IF;
      tried := tried + 1;
    END LOOP;
  END $$;
CREATE FUNCTION petstore_found_words(text, text, bigint) RETURNS SETOF bigint LANGUAGE sql STABLE ROWS 100
  SET enable_seqscan = off SET enable_indexscan = off AS $$
    SELECT rowid FROM petstore_pets_words
      WHERE found @@ ((SELECT string_agg('''' || word || CASE WHEN length(word) > ${longestBeginning} THEN ''':* & ' ELSE ''' & ' END, '')
        FROM unnest(string_to_array($1, ' ')) AS word) || '''' || $2 || '''')::tsquery
      ORDER BY rowid * $3
  $$;
CREATE TRIGGER @petstore_pets_words_added AFTER INSERT ON petstore_pets
  FOR EACH ROW WHEN (NOT NEW.deleted) EXECUTE FUNCTION petstore_keep_words();
CREATE TRIGGER @petstore_pets_words_changed AFTER UPDATE OF name, words, deleted ON petstore_pets
  FOR EACH ROW WHEN ((OLD.name, OLD.words, OLD.deleted) IS DISTINCT FROM (NEW.name, NEW.words, NEW.deleted))
  EXECUTE FUNCTION petstore_keep_words();
CREATE TRIGGER @petstore_pets_words_removed AFTER DELETE ON petstore_pets
  FOR EACH ROW EXECUTE FUNCTION petstore_keep_words();
INSERT INTO petstore_pets_words (rowid, found, built) VALUES (0, '', 0);`

const drop = `
DROP TRIGGER IF EXISTS @petstore_pets_words_added ON petstore_pets;
DROP TRIGGER IF EXISTS @petstore_pets_words_changed ON petstore_pets;
DROP TRIGGER IF EXISTS @petstore_pets_words_removed ON petstore_pets;
DROP FUNCTION IF EXISTS petstore_keep_words();
DROP FUNCTION IF EXISTS petstore_word_blocks(bigint, bigint);
DROP FUNCTION IF EXISTS petstore_found_words(text, text, bigint);
DROP TABLE IF EXISTS petstore_pets_words;`

/** How many of the table, its index, the functions and the triggers that work a schema has. */
const selectParts = `SELECT
  (SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname IN ('petstore_pets_words', 'petstore_pets_words_found'))
  + (SELECT count(*) FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'petstore_pets' AND t.tgname LIKE 'petstore\\_pets\\_words\\_%' AND t.tgenabled IN ('O', 'A'))
  + (SELECT count(*) FROM pg_catalog.pg_proc AS f JOIN pg_catalog.pg_namespace AS n ON n.oid = f.pronamespace
    WHERE n.nspname = $1 AND f.proname IN ('petstore_keep_words', 'petstore_found_words', 'petstore_word_blocks'))
  AS parts,
  (SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'petstore_pets_words')
  + (SELECT count(*) FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'petstore_pets' AND t.tgname LIKE 'petstore\\_pets\\_words\\_%') AS kept`

const allParts = 8

/** How much of what keeps the index of words a schema has. */
export const wordIndexState = async (
  read: (text: string, values: ReadonlyArray<string>) => Promise<{ readonly rows: ReadonlyArray<Row> }>,
  schema: string
): Promise<"none" | "part" | "whole"> => {
  const [row] = (await read(selectParts, [schema])).rows
  // Functions alone keep nothing: the index was removed.
  return Number(row?.kept) === 0 ? "none" : Number(row?.parts) === allParts ? "whole" : "part"
}

type Row = Readonly<Record<string, unknown>>

const lock = (schema: string): string =>
  `SELECT pg_advisory_xact_lock(hashtextextended(${literal(`petstore words ${schema}`)}, 0))`

const petsPerStep = 2_000

const inTransaction = async <A>(connection: PostgresConnection, schema: string, work: () => Promise<A>): Promise<A> => {
  await connection.run(
    [
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      ...definingSettings,
      "SET LOCAL lock_timeout = 0",
      "SET LOCAL statement_timeout = 0",
      lock(schema)
    ].join("; ")
  )
  try {
    const result = await work()
    await connection.run("COMMIT")
    return result
  } catch (cause) {
    await connection.run("ROLLBACK").catch(() => connection.break())
    throw cause
  }
}

const selectLast = "SELECT max(id) AS id FROM petstore_pets"
const selectBuilt = "SELECT built FROM petstore_pets_words WHERE rowid = 0"
const selectEnd = `SELECT max(id) AS id FROM (SELECT id FROM petstore_pets WHERE id > $1 ORDER BY id LIMIT ${petsPerStep}) AS next`
/** Pets whose name is not ASCII, or was not. */
export const selectOtherNames = `SELECT id, name, words FROM petstore_pets
  WHERE id > $1 AND id <= $2 AND (words IS NOT NULL OR octet_length(name) <> char_length(name))`
// Locked in the order of commands that lock several pets.
const lockPets = "SELECT id FROM petstore_pets WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"
const updateWords = `UPDATE petstore_pets AS pet SET words = changed.words
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS changed (id, name, words)
  WHERE pet.id = ANY($1::bigint[]) AND pet.id = changed.id AND pet.name = changed.name`
const fill = `INSERT INTO petstore_pets_words (rowid, found) SELECT id, ${lexemes("pet")} FROM petstore_pets AS pet
  WHERE id > $1 AND id <= $2 AND NOT deleted ON CONFLICT DO NOTHING`
const finish = [
  // A pet that was deleted while its step ran.
  "DELETE FROM petstore_pets_words WHERE rowid IN (SELECT id FROM petstore_pets WHERE deleted)",
  "DELETE FROM petstore_pets_words WHERE rowid = 0"
]

/** Adds the next pets to the index. Returns the last of them; undefined if it is whole. */
const fillStep = async (connection: PostgresConnection, schema: string): Promise<number | undefined> => {
  const query = (text: string, values: ReadonlyArray<Parameter> = []) =>
    connection.query(inSchema(schema, text), values)
  const [begun] = (await query(selectBuilt)).rows
  if (begun === undefined) return undefined
  const after = Number(begun.built)
  const end = (await query(selectEnd, [after])).rows[0]?.id
  if (end === null || end === undefined) {
    for (const statement of finish) await query(statement)
    return undefined
  }
  const wrong = (await query(selectOtherNames, [after, Number(end)])).rows.filter(
    ({ name, words }) => words !== (storedWords(String(name)) ?? null)
  )
  if (wrong.length > 0) {
    const ids = binaryArray(
      "integer",
      wrong.map(({ id }) => Number(id))
    )
    const names = wrong.map(({ name }) => String(name))
    await query(lockPets, [ids])
    await query(updateWords, [ids, binaryArray("text", names), binaryArray("text", names.map(storedWords))])
  }
  await query(fill, [after, Number(end)])
  await query("UPDATE petstore_pets_words SET built = $1 WHERE rowid = 0", [Number(end)])
  return Number(end)
}

/** Throws if the schema lacks the index of words. */
export const requireWordIndex = async (connection: PostgresConnection, schema: string): Promise<void> => {
  const state = await wordIndexState((text, values) => connection.query(text, values), schema)
  const isFilled = state === "whole" && (await connection.query(inSchema(schema, selectBuilt))).rows.length === 0
  if (!isFilled) {
    const message = `The schema ${schema} has no index of words. Open it once with migrate: true, or without the option search.`
    throw new InternalError({}, { message })
  }
}

/**
 * Makes the index of words, unless the schema has all of it. Others write meanwhile: triggers keep what is written, and steps add the rest.
 * Several processes take turns.
 */
export const buildWordIndex = (
  connection: PostgresConnection,
  schema: string,
  onStep: OnSchemaStep = () => {}
): Promise<void> =>
  connection.patiently(async () => {
    const state = () => wordIndexState((text, values) => connection.query(text, values), schema)
    if ((await state()) !== "whole") {
      await inTransaction(connection, schema, async () => {
        if ((await state()) !== "whole") await connection.run(definedIn(schema, `${drop}${parts}`))
      })
    }
    if ((await connection.query(inSchema(schema, selectBuilt))).rows.length === 0) return
    const last = Number((await connection.query(inSchema(schema, selectLast))).rows[0]?.id)
    for (let after: number | undefined = 0; after !== undefined; ) {
      onStep(`words of ${after} pets indexed`, Math.min(1, after / Math.max(1, last)))
      after = await inTransaction(connection, schema, () => fillStep(connection, schema))
    }
    await connection.run(inSchema(schema, "ANALYZE petstore_pets_words"))
  })

/** Counts the pets that the index finds by other words than those of their names. */
export const countWrongEntries = `SELECT count(*) AS wrong
  FROM (SELECT id, ${lexemes("pet")} AS expected FROM petstore_pets AS pet WHERE NOT deleted) AS named
    FULL JOIN (SELECT rowid, found FROM petstore_pets_words WHERE rowid > 0) AS indexed ON rowid = id
  WHERE found IS DISTINCT FROM expected`
