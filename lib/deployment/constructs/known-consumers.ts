import type { IPrincipal } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** What every `Consumer` of an app tells the others, for the rules that are about two of them. ARNs are as `seenArn` gives them. */
export interface KnownConsumer {
  readonly path: string;
  readonly queueArn: () => string;
  readonly functionArn: () => string;
  readonly tableArn: () => string;
  readonly operation: string | undefined;
}

const known = new WeakMap<IConstruct, KnownConsumer[]>();

/** Makes a consumer known to all of its app. */
export function makeKnown(root: IConstruct, consumer: KnownConsumer): void {
  known.set(root, [...knownConsumers(root), consumer]);
}

/** The consumers of the app, in the order in which they were made. */
export function knownConsumers(root: IConstruct): readonly KnownConsumer[] {
  return known.get(root) ?? [];
}

const locking = new WeakMap<IPrincipal, string[]>();

/** Remembers that a principal was granted what locks need on a table: its handler locks there. */
export function makeLocking(grantee: IPrincipal, tableArn: string): void {
  locking.set(grantee, [...(locking.get(grantee) ?? []), tableArn]);
}

export function isLocking(grantee: IPrincipal, tableArn: string): boolean {
  return locking.get(grantee)?.includes(tableArn) ?? false;
}
