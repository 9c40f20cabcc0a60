/** A value of JSON, as Powertools types it. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | { [key: number | string]: JSONValue }
  | JSONValue[];
