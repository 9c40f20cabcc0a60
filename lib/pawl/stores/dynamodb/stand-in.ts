import type { Aws } from '../../aws/aws.ts';
import { processWide } from '../../kernel/process-wide.ts';
import type { KeepsNotes } from '../../rules/notes.ts';
import type { ListsOpenClaims } from '../../rules/open-claims.ts';
import type { ClaimStore } from '../../rules/store.ts';

/** What stands in for AWS in a unit test: `@pawl/testing/fakes` makes it. */
export interface StandIn {
  readonly aws: Aws;
  /** The claims of a table. */
  claimsIn(tableName: string | undefined): ClaimStore & ListsOpenClaims & KeepsNotes;
}

/** Of all copies of pawl in a process: a test and its handler may have loaded one each. */
const place = processWide('testing.stand-in/1', (): { standIn: StandIn | undefined } => ({ standIn: undefined }));

/** What stands in for AWS, for a store whose author names no way to it. */
export function standInOf({ aws }: { readonly aws?: Aws | undefined }): StandIn | undefined {
  return aws === undefined ? place.standIn : undefined;
}

/** From now on, every store that is made without a way to AWS is in memory; or none is any more. */
export function standInForAws(standIn: StandIn | undefined): void {
  place.standIn = standIn;
}
