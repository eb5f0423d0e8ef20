import { shop } from "../lib/petstore.ts"

// The pets for sale change, so render the page for each request instead of once in next build.
export const dynamic = "force-dynamic"

export default async function Page() {
  const { petstore } = await shop()
  const { items } = await petstore.pets.list({ status: "available" })
  return (
    <ul>
      {items.map((pet) => (
        <li key={pet.id}>{pet.name}</li>
      ))}
    </ul>
  )
}
