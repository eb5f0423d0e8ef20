import { type ProposedOrder, refusal } from "@petstore/core"

export class NoReptilesByMail extends refusal(
  "no_reptiles_by_mail",
  ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile. Collect it in the shop.`
) {}

export class TooManyPuppies extends refusal(
  "too_many_puppies",
  ({ limit, ordered }: { readonly limit: number; readonly ordered: number }) =>
    `An order takes at most ${limit} puppies, not ${ordered}.`
) {}

export const noReptilesByMail = ({ pet }: ProposedOrder) =>
  pet?.category.name === "Reptiles" ? new NoReptilesByMail({ petId: pet.id }) : undefined

export const atMostTwoPuppies = ({ order, pet }: ProposedOrder) => {
  const { quantity = 0 } = order
  return pet?.category.name === "Puppies" && quantity > 2
    ? new TooManyPuppies({ limit: 2, ordered: quantity })
    : undefined
}
