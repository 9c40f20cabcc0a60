import type { KeyHash } from 'pawl';
import {
  type ClaimRecord,
  hiding,
  identify,
  isHidden,
  memoryStore,
  namesIn,
  nodeHost,
  standInForAws,
} from 'pawl/internal';
import { type FakeContext, type FakeRecord, fakeContext, fakeEvent } from './event.ts';
import { fakeSqs, type HiddenMessage, type SentMessage } from './fake-sqs.ts';

export type { FakeContext, FakeRecord } from './event.ts';
export type { HiddenMessage, SentMessage } from './fake-sqs.ts';

/**
 * Fakes for the ordinary unit test of a handler. The import is enough: from then on, a store that is made without a way to AWS keeps its claims in memory, and its doors ask a queue in memory.
 * So it comes before the handler's own import. What names a client of its own is left alone.
 *
 * For crashes, races and lost answers, take the sweep of `@pawl/testing`.
 */

/** Of which queue a message is that could never run, where the environment does not say it. */
const names = {
  CLAIMS_TABLE: 'claims',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/dead-letters',
} as const;
for (const [name, value] of Object.entries(names)) process.env[name] ??= value;

const tables = new Map<string, ReturnType<typeof memoryStore>>();
const sqs = fakeSqs();

const noDynamo = (operation: string) => {
  const said = `@pawl/testing/fakes: a claim is in memory here, and ${operation} needs a table: commits, locks and the application's items. Test them with DynamoDB Local, and pass aws: sdk({ dynamodb })`;
  return Promise.reject(new Error(said));
};

function claimsIn(table: string = names.CLAIMS_TABLE): ReturnType<typeof memoryStore> {
  const claims = tables.get(table) ?? memoryStore();
  tables.set(table, claims);
  return claims;
}

standInForAws({
  aws: { dynamodb: { call: noDynamo, region: async () => 'us-east-1' }, sqs },
  // Looked up at each call: a store is made when its module is imported, and `reset` comes before each test.
  claimsIn: (table) => ({
    read: (id) => claimsIn(table).read(id),
    write: (write) => claimsIn(table).write(write),
    listOpen: (query) => claimsIn(table).listOpen(query),
    readNote: (id) => claimsIn(table).readNote(id),
    writeNote: (write) => claimsIn(table).writeNote(write),
    listPlace: (query) => claimsIn(table).listPlace(query),
  }),
});

/**
 * What the handlers of a test have done, and what they are given.
 *
 * @example
 * import { eachMessage } from 'pawl/sqs';
 * declare const handler: ReturnType<typeof eachMessage>; // in a test: import { handler } from '../src/mails.ts', behind the fakes
 *
 * fakes.reset(); // before each test
 * const { batchItemFailures } = await handler(fakes.sqsEvent({ orderId: 'o-1' }), fakes.context());
 * console.log(batchItemFailures, fakes.deadLetters, fakes.claim('send-email', 'o-1')?.status);
 */
export const fakes = {
  /** Forgets all claims and messages. Call it before each test. */
  reset(): void {
    tables.clear();
    sqs.reset();
  },

  /** The messages that went to a dead-letter queue, with the reason. */
  get deadLetters(): readonly SentMessage[] {
    return sqs.sent().filter(({ reason }) => reason !== undefined);
  },

  /** The messages that were sent otherwise, with `sendOnce` for example. */
  get sent(): readonly SentMessage[] {
    return sqs.sent().filter(({ reason }) => reason === undefined);
  },

  /** The messages that were hidden for a time before they come again. */
  get hidden(): readonly HiddenMessage[] {
    return sqs.hidden();
  },

  /**
   * The claim of a key, in whatever table it is.
   *
   * @param options.hideKeys `hashed(secret)`, as the handler has it
   * @throws Error when there is no such claim, `hideKeys` is not given, and the operation has claims whose keys are hidden: the claim may be one of these
   */
  claim(
    operation: string,
    key: string | number,
    options: { readonly hideKeys?: KeyHash } = {},
  ): ClaimRecord | undefined {
    const claims = [...tables.values()].flatMap((table) => table.records());
    const { id: named } = identify(operation, key, hiding(nodeHost, options.hideKeys));
    const found = claims.find(({ id }) => id === named);
    if (found !== undefined || options.hideKeys !== undefined) return found;
    const areHidden = claims
      .map(({ id }) => namesIn(id))
      .some((of) => of.operation === operation && isHidden(of.key ?? ''));
    if (areHidden) {
      throw new Error(
        `@pawl/testing/fakes: the keys of ${operation} are hidden. Pass hideKeys as the handler has it: fakes.claim('${operation}', key, { hideKeys: hashed(secret) })`,
      );
    }
    return undefined;
  },

  /** An event of SQS with these bodies: texts as they are, anything else as JSON. Its records have other ids at each call, as copies have that a producer sends. */
  sqsEvent(...bodies: readonly unknown[]): { Records: FakeRecord[] } {
    return fakeEvent(...bodies);
  },

  /** Lambda's context. @param remainingMs how long the invocation still lasts, in milliseconds */
  context(remainingMs = 30_000): FakeContext {
    return fakeContext(remainingMs);
  },
} as const;
