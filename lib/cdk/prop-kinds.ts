import type { Construct } from 'constructs';
import { WiringError } from 'pawl/deployment';

/** A property, the methods or fields that tell its kind, and what to write. */
interface Kind {
  readonly names: readonly string[];
  readonly has: readonly string[];
  readonly expected: string;
}

const durations = [
  'lease',
  'claimRetention',
  'handlerTimeout',
  'lockLease',
  'maxMessageAge',
  'maxDoubtAge',
  'maxOpenAge',
  'maxSilence',
  'maxWait',
  'timeout',
  'maxBatchingWindow',
  'visibilityTimeout',
  'retentionPeriod',
];

const kinds: readonly Kind[] = [
  {
    names: durations,
    has: ['toSeconds', 'isUnresolved'],
    expected: 'a Duration: Duration.seconds(…) or Duration.days(…)',
  },
  {
    names: ['function', 'sweep'],
    has: ['functionArn'],
    expected: 'a function of aws-lambda: Function.fromFunctionArn(…), if it exists elsewhere',
  },
  {
    names: ['queue', 'deadLetterQueue'],
    has: ['queueArn'],
    expected: 'a queue of aws-sqs: Queue.fromQueueArn(…), if it exists elsewhere',
  },
  {
    names: ['outboxTable'],
    has: ['tableArn', 'tableStreamArn'],
    expected: 'a table with a stream: the property table of an OutboxTable',
  },
  { names: ['claimsTable'], has: ['tableArn'], expected: 'a table: the property table of a ClaimsTable' },
];

/**
 * Refuses properties of another kind, which a program without types can give. CDK would report a method that is missing, and no property.
 *
 * @throws {WiringError} that names each, and what to write
 */
export function expectKinds(construct: Construct, props: object, required: readonly string[]): void {
  const given = new Map<string, unknown>(Object.entries(props));
  const problems = kinds.flatMap(({ names, has, expected }) =>
    names
      .filter((name) => (given.get(name) === undefined ? required.includes(name) : !hasAll(given.get(name), has)))
      .map((name) => `${name}: expected ${expected}; got ${shown(given.get(name))}.`),
  );
  if (problems.length > 0) throw new WiringError(construct.node.path, problems);
}

function hasAll(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `'${value}'` : String(value);
  return `an object of class ${value.constructor?.name ?? 'none'}`;
}
