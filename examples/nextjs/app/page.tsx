import { petstore } from "../lib/petstore.ts"

// What is for sale changes, so the page is rendered for each request rather than once by next build.
export const dynamic = "force-dynamic"

export default async function Page() {
  const { items } = await petstore.pets.list({ status: "available" })
  return (
    <ul>
      {items.map((pet) => (
        <li key={pet.id}>{pet.name}</li>
      ))}
    </ul>
  )
}
