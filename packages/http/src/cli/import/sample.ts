import { createHash } from "node:crypto"
import type { InputFile } from "./InputFile.ts"

/** Invented pets, to try the petstore out with. */
const pets = `name,category,status,quantity
Rex,Dogs,available,1
Bella,Dogs,available,1
Wanda,Dogs,pending,1
Otto,Dogs,available,2
Lady Biscuit,Dogs,sold,0
Tom,Cats,available,1
Minka,Cats,available,3
Zoë,Cats,available,1
Mr. Whiskers,Cats,pending,1
Nala,Cats,available,2
Captain Crumb,Hamsters,available,4
Pip,Hamsters,available,4
Noodle,Hamsters,available,6
Peanut,Hamsters,sold,0
Kiwi,Birds,available,2
Señor Pico,Birds,available,1
Jack,Birds,available,5
Lola,Birds,pending,2
Flora,Birds,available,8
Hugo,Birds,available,1
`

/** The sample as a file that an import reads. */
export const sampleInput = (): InputFile => {
  const bytes = new TextEncoder().encode(pets)
  let position = 0
  return {
    digest: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
    chunks: {
      async *[Symbol.asyncIterator]() {
        yield bytes
        position = bytes.length
      }
    },
    position: () => position,
    isUnchanged: () => true,
    close: async () => {}
  }
}
