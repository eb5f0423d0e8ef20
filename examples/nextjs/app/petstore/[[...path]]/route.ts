import { api } from "../../../lib/petstore.ts"

const handle = (request: Request): Promise<Response> => api.fetch(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST }
