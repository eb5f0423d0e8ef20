/** What a search compares of a name that is not ASCII: programs write it with the name. */
export const words = `ALTER TABLE petstore_pets ADD COLUMN words text COLLATE "C";`
