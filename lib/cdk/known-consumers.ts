import type { IPrincipal } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { processWide } from 'pawl/deployment';

/** The facts of a `Consumer` that the rules about two of them need. ARNs are as `seenArn` returns them. */
export interface KnownConsumer {
  readonly path: string;
  readonly queueArn: () => string;
  readonly functionArn: () => string;
  readonly tableArn: () => string;
  readonly operation: string | undefined;
}

/** Of all copies of pawl: a library of constructs may bring its own. */
const known = processWide('constructs.consumers/1', () => new WeakMap<IConstruct, KnownConsumer[]>());

/** Makes a consumer known to every other consumer of its app. */
export function makeKnown(root: IConstruct, consumer: KnownConsumer): void {
  known.set(root, [...knownConsumers(root), consumer]);
}

/** The consumers of the app, in the order in which they were made. */
export function knownConsumers(root: IConstruct): readonly KnownConsumer[] {
  return known.get(root) ?? [];
}

const locking = processWide('constructs.locking/1', () => new WeakMap<IPrincipal, string[]>());

/** Remembers that a principal was granted what locks need on a table: the handler locks there. */
export function makeLocking(grantee: IPrincipal, tableArn: string): void {
  locking.set(grantee, [...(locking.get(grantee) ?? []), tableArn]);
}

export function isLocking(grantee: IPrincipal, tableArn: string): boolean {
  return locking.get(grantee)?.includes(tableArn) ?? false;
}
