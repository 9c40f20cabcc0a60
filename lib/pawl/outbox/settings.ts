import { type Aws, expectAws } from '../aws/aws.ts';
import type { ClaimEvent } from '../engine/events.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction, expectWhole } from '../kernel/check.ts';
import type { Host } from '../kernel/host.ts';
import type { NamesOf } from '../kernel/unknown-option.ts';
import type { Destination } from './destination.ts';
import { queues } from './destinations/queues.ts';
import type { LargeBodies } from './message.ts';

/**
 * The options of an outbox, whatever its database.
 *
 * @example
 * import { dynamoStore } from 'pawl/dynamodb';
 *
 * const options: OutboxOptions = { aws: dynamoStore({ tableName: process.env.CLAIMS_TABLE }).aws, atOnceMs: 1000 };
 */
export interface OutboxOptions {
  /**
   * The way to AWS: that of the store of the claims (`store.aws`), `sdk()` or `lean()`.
   */
  readonly aws: Aws;
  /**
   * Where messages go: `queues()`, `topics()` of `pawl/outbox/sns`, `eventBuses()` of `pawl/outbox/eventbridge`.
   * @default `[queues({ aws })]`
   */
  readonly destinations?: readonly Destination[];
  /**
   * Keeps a body that is too large for an item or its destination: `largeBodies()` of `pawl/outbox/s3`.
   * @default such a message is refused before its commit
   */
  readonly largeBodies?: LargeBodies;
  /**
   * How long the worker that has committed a message tries to send it, in milliseconds, before it leaves it to the relay. 0 leaves it at once. It ends in
   * any case with the time of its claim.
   * @default 3000
   */
  readonly atOnceMs?: number;
  /**
   * Hears of everything that happens to a message. What it throws is ignored.
   * @default whatever is out of the ordinary goes to `console.warn`, as one line of JSON
   */
  readonly onEvent?: (event: ClaimEvent) => void;
  /**
   * Time, chance and identity. Only tests and simulations set it.
   * @default those of Node
   */
  readonly host?: Host;
}

export const outboxOptionNames = {
  aws: true,
  destinations: true,
  largeBodies: true,
  atOnceMs: true,
  onEvent: true,
  host: true,
} as const satisfies NamesOf<OutboxOptions>;

/** The options, after defaults and validation. */
export interface OutboxSettings extends Required<Omit<OutboxOptions, 'largeBodies' | 'onEvent'>> {
  readonly largeBodies: LargeBodies | undefined;
  readonly onEvent: ((event: ClaimEvent) => void) | undefined;
}

/** @throws OptionError */
export function outboxSettings({
  aws,
  destinations: given,
  largeBodies,
  atOnceMs = 3000,
  onEvent,
  host = nodeHost,
}: OutboxOptions): OutboxSettings {
  expectAws(aws, 'required');
  const destinations = given ?? [queues({ aws })];
  const isList =
    Array.isArray(destinations) &&
    destinations.length > 0 &&
    destinations.every((one) => typeof one?.send === 'function');
  expect(isList, 'destinations', 'a list of queues({ aws }), topics() and eventBuses()', destinations);
  const keeps = largeBodies === undefined || typeof largeBodies?.keep === 'function';
  expect(keeps, 'largeBodies', 'largeBodies({ s3Client, bucket })', largeBodies);
  expectWhole('atOnceMs', atOnceMs);
  if (onEvent !== undefined) expectFunction('onEvent', 'a function', onEvent, 'wrong-handler');
  return { aws, destinations, largeBodies, atOnceMs, onEvent, host };
}
