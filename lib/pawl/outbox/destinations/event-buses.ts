import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect } from '../../kernel/check.ts';
import { expectOptions } from '../../kernel/take-options.ts';
import { bytesOf } from '../../kernel/text.ts';
import { expectNoUnitTest } from '../../kernel/unit-test.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import { keyAttribute } from '../../payload/sent-key.ts';
import type { Destination, Problem, Sendable } from '../destination.ts';
import { explainedDestination } from './explained.ts';
import { problemOfDelayed } from './problems.ts';

export type { Destination, Problem, Sendable } from '../destination.ts';

/** What EventBridge takes in an event. */
const mostBytes = 2 ** 18;
/** What it takes as the type of an event, in characters. */
const longestDetailType = 128;
/** Errors of an entry that pass. */
const passing: readonly unknown[] = [
  'ThrottlingException',
  'InternalFailure',
  'InternalException',
  'ServiceUnavailable',
];

/**
 * The options of `eventBuses`.
 *
 * @example
 * import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
 *
 * const options: EventBusesOptions = { eventBridgeClient: new EventBridgeClient({ region: 'eu-central-1' }) };
 */
export interface EventBusesOptions {
  /**
   * A client of your own for EventBridge.
   * @default the SDK's client, made when it is first needed
   */
  readonly eventBridgeClient?: EventBridgeClient;
}

const known = { eventBridgeClient: true } as const satisfies NamesOf<EventBusesOptions>;

/**
 * Event buses of EventBridge, for the `destinations` of an outbox. A message to a bus has a `source` and a `detailType`, and an object as its body. The
 * key stands in the `detail` as `idempotency-key`, and a consumer behind a rule finds it by `sentKey()` inside `eventBridgeEnvelope()`.
 *
 * @throws OptionError at once when an option is wrong
 * @example
 * import { dynamoOutbox } from 'pawl/outbox';
 *
 * const { message } = dynamoOutbox({ tableName: process.env.OUTBOX_TABLE, aws, destinations: [eventBuses()] });
 */
export function eventBuses(options: EventBusesOptions = {}): Destination {
  expectOptions(options, { door: 'eventBuses', known, docs: 'docs/guides/outbox.md' });
  const { eventBridgeClient: client } = options;
  const isClient = client === undefined || typeof client?.send === 'function';
  expect(isClient, 'eventBridgeClient', 'an EventBridgeClient', client);
  let buses = client;
  return {
    name: 'eventBuses()',
    address: 'the ARN of an event bus',
    takes: (to) => /^arn:[^:]+:events:[^:]*:[^:]*:event-bus\//.test(to),
    problem,
    mostBytes,
    takesPointers: false,
    bytesBeside: ({ key, source = '', detailType = '' }) =>
      bytesOf(source) + bytesOf(detailType) + bytesOf(detailOf({ body: '{}', key })),
    async send({ to, body, key, source, detailType }, abortSignal) {
      if (client === undefined) expectNoUnitTest('eventbridge');
      buses ??= new EventBridgeClient({});
      const Detail = detailOf({ body, key });
      const put = new PutEventsCommand({
        Entries: [{ EventBusName: to, Source: source, DetailType: detailType, Detail }],
      });
      try {
        const { Entries = [] } = await buses.send(put, { abortSignal });
        const [{ EventId, ErrorCode, ErrorMessage } = {}] = Entries;
        if (ErrorCode !== undefined) throw errorOfEntry(ErrorCode, ErrorMessage);
        // Confirmed by nothing, it would be removed from the outbox: it is sent again, and its key is known.
        if (EventId === undefined) throw errorOfEntry('InternalException', 'EventBridge has confirmed no event');
      } catch (error) {
        throw explainedDestination(error, 'events:PutEvents', to);
      }
    },
  };
}

/** The body with the key in it. Its text stays as it is: parsed and written again, it would have lost what a double cannot hold. */
function detailOf({ body, key }: { readonly body: string; readonly key: string }): string {
  const rest = body.slice(1);
  return `{${JSON.stringify(keyAttribute)}:${JSON.stringify(key)}${rest === '}' ? '' : ','}${rest}`;
}

/** An entry fails inside a response that is no error. */
function errorOfEntry(name: string, message = ''): Error {
  const httpStatusCode = passing.includes(name) ? 500 : 400;
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
}

function problem(message: Sendable): Problem | undefined {
  const { body, group, attributes, source, detailType } = message;
  if (typeof source !== 'string' || source === '')
    return { option: 'source', expected: "the source of the event, such as 'shop'", came: source };
  if (typeof detailType !== 'string' || detailType === '') {
    return { option: 'detailType', expected: "the type of the event, such as 'PaymentPosted'", came: detailType };
  }
  // Refused by EventBridge, and only after the commit: the message would be parked.
  if (source.startsWith('aws.'))
    return { option: 'source', expected: "a source of your own: 'aws.' is kept for AWS's services", came: source };
  if (detailType.length > longestDetailType)
    return { option: 'detailType', expected: `at most ${longestDetailType} characters`, came: detailType.length };
  if (group !== undefined) return { option: 'group', expected: 'none: an event bus has no groups', came: group };
  if (attributes !== undefined)
    return { option: 'attributes', expected: 'none: an event has no attributes', came: attributes };
  if (!body.startsWith('{'))
    return { option: 'body', expected: 'an object: it is the detail of an event', came: 'another value' };
  if (Object.hasOwn(JSON.parse(body), keyAttribute)) {
    return { option: `body.${keyAttribute}`, expected: 'none: the key of the message stands there', came: 'a value' };
  }
  return problemOfDelayed(message);
}
