/** A path of the contract as it is written for people, with braces around its parameters. */
export const pathTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}")
