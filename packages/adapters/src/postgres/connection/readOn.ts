import { isConnectionLoss } from "./errors.ts"
import type { Parameter, PostgresConnection, Result } from "./PostgresConnection.ts"

/** The connection broke before a statement had a result. */
export class Lost {
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** Runs a statement that changes nothing, so that it may run again on another connection if this one is lost. */
export const readOn = async (
  connection: PostgresConnection,
  text: string,
  values: ReadonlyArray<Parameter>
): Promise<Result | Lost> => {
  try {
    return await connection.query(text, values)
  } catch (cause) {
    if (isConnectionLoss(cause)) return new Lost(cause)
    throw cause
  }
}
