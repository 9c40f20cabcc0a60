import { type Settings, settingsOf } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { batchConcurrency } from '../kernel/defaults.ts';
import { envelopesOf } from '../payload/envelopes/envelope.ts';
import type { ClaimRules } from '../rules/decide.ts';
import type { Message } from './message.ts';
import type { SqsOptions } from './options.ts';

const defaults = {
  host: nodeHost,
  // Nothing reads the results of messages.
  recordResult: false,
  concurrency: batchConcurrency,
  onInFlight: 'defer',
  fingerprint: { ignore: [] },
  backoffSeconds: (receiveCount: number) => Math.min(900, 10 * 3 ** (receiveCount - 1)),
} as const;

/** The options of a consumer after defaults and validation. */
export type SqsSettings<Body> = Settings<Message<Body>> & Required<Pick<SqsOptions<Body>, keyof typeof defaults>>;

/** @throws OptionError, naming the option, what was expected and what was given */
export function sqsSettingsOf<Body>(
  options: SqsOptions<Body>,
  rules: Pick<ClaimRules, 'atomic' | 'stepless'>,
): SqsSettings<Body> {
  const settings = settingsOf(options, { ...defaults, ...rules }) as SqsSettings<Body>;
  const { key, schema, deadLetters } = options;
  const { concurrency, onInFlight, backoffSeconds, recordResult } = settings;
  const known = envelopesOf(options.envelope)?.every((one) => typeof one?.open === 'function') ?? true;
  const envelopes = 'snsEnvelope(), eventBridgeEnvelope(), s3Events(), largePayload(…), decoded(…), or a list of them';
  expect(known, 'envelope', envelopes, options.envelope);
  const given: unknown = key;
  const named = typeof given === 'string' ? given : 'orderId';
  expectFunction('key', `a function of the message: bodyField('${named}')`, key, 'wrong-key-option');
  expect(onInFlight === 'defer' || onInFlight === 'discard', 'onInFlight', "'defer' or 'discard'", onInFlight);
  const counts = Number.isSafeInteger(concurrency) || concurrency === Infinity;
  expect(counts && concurrency >= 1, 'concurrency', 'at least 1, as a whole number or Infinity', concurrency);
  const standard = schema === undefined || typeof schema?.['~standard']?.validate === 'function';
  expect(standard, 'schema', 'a schema that follows Standard Schema: Zod 3.24, Valibot 1, ArkType 2, or later', schema);
  const seconds = typeof backoffSeconds === 'number' ? backoffSeconds : 30;
  const example = `a function of the receive count: () => ${seconds}`;
  expectFunction('backoffSeconds', example, backoffSeconds, 'wrong-handler');
  expect(typeof recordResult === 'boolean', 'recordResult', 'true or false', recordResult);
  const sends = deadLetters === undefined || typeof deadLetters?.send === 'function';
  const url: unknown = deadLetters;
  const written = typeof url === 'string' ? JSON.stringify(url) : 'url';
  expect(sends, 'deadLetters', `deadLetterQueue(${written})`, deadLetters, 'wrong-dead-letters');
  return settings;
}
