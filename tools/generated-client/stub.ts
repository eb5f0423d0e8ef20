const category = { id: 3, name: "Dogs" }
const pet = { id: 7, name: "Rex", categoryId: 3, status: "available" }
const refusal = { code: "insufficient_stock", message: "Too few.", status: 409, details: { available: 1 } }

const answers: { readonly [request: string]: readonly [status: number, body: unknown] } = {
  "POST /v1/categories": [201, category],
  "POST /v1/pets": [201, pet],
  "GET /v1/pets?status=available&limit=1&id=7": [200, [pet]],
  "GET /v1/store/pets/7": [200, { ...pet, inventory: { petId: 7, quantity: 1, status: "available" } }],
  "POST /v1/store/orders": [409, refusal]
}

/** Answers like a server with one category and one pet, and only if it is asked in the way that the document says. */
export const stub = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
  const request = new Request(input, init)
  const { pathname, search } = new URL(request.url)
  const asked = `${request.method} ${pathname}${search}`
  const [status, body] = answers[asked] ?? [404, { code: "not_found", message: asked, status: 404 }]
  const key = request.headers.get("Authorization")
  if (key !== "Bearer secret") throw new Error(`${asked} came with the key ${key}`)
  if (request.method === "POST" && request.headers.get("Content-Type") !== "application/json") {
    throw new Error(`${asked} came without Content-Type: application/json`)
  }
  return Response.json(body, { status })
}
