import { shop } from "../../lib/petstore.ts"

export const GET = async (): Promise<Response> => {
  const { petstore } = await shop()
  const { items } = await petstore.pets.list({ status: "available" })
  return Response.json(items.map((pet) => pet.name))
}
