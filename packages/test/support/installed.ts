import { inject } from "vitest"
import { sharedText } from "../../adapters/test/support/OncePerRun.ts"

/** The packages as they are published, installed for the tests of a run. */
export interface Installed {
  /** The tarballs of the packages. */
  readonly tarballs: ReadonlyArray<string>
  /** A project with the packages and all that they require. */
  readonly project: string
}

const at = async (address: string): Promise<Installed> => JSON.parse(await sharedText(address))

/** Waits until the packages are installed. Throws if that has failed. */
export const installed = (): Promise<Installed> => at(inject("packages"))

/** The same for a project that has the optional peers, too. */
export const installedWithPeers = (): Promise<Installed> => at(inject("packagesAndPeers"))

/** The same for a project with the `effect` of this repository, which is there in a moment. */
export const installedHere = (): Promise<Installed> => at(inject("packagesHere"))
