// A page of a list is read from one index in its order, whatever its filters. Lists without a status merge the ranges of
// the three, so that each of these indexes serves several lists.
export const boundedLists = `
CREATE INDEX petstore_pets_status_name ON petstore_pets (status, name, id) WHERE NOT deleted;
CREATE INDEX petstore_pets_category_status_name ON petstore_pets (category_id, status, name, id) WHERE NOT deleted;
DROP INDEX petstore_pets_name;
DROP INDEX petstore_pets_category;
CREATE INDEX petstore_categories_live ON petstore_categories (id) WHERE NOT deleted;
CREATE INDEX petstore_api_keys_live ON petstore_api_keys (id) WHERE NOT revoked;
CREATE INDEX petstore_api_keys_admin ON petstore_api_keys (id) WHERE NOT revoked AND scopes LIKE '%"admin"%';
`
