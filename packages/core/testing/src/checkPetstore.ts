import { shown } from "@petstore/core/domain"

/** Throws a TypeError for a value without this part of a petstore, such as a promise of one. */
export const checkPetstore = (caller: string, petstore: unknown, part: "pets" | "verify"): void => {
  if (Object(petstore)[part] === undefined)
    throw new TypeError(`${caller} takes a petstore, such as one of testPetstore(), not ${shown(petstore)}`)
}
