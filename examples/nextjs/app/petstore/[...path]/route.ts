import { api } from "../../../lib/petstore.ts"

const answer = (request: Request): Promise<Response> => api.fetch(request)

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST }
