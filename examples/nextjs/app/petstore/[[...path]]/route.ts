import { shop } from "../../../lib/petstore.ts"

const handle = async (request: Request): Promise<Response> => (await shop()).api.fetch(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST }
