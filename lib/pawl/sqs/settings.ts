import { type Settings, settingsOf } from '../engine/options.ts';
import { nodeHost } from '../host.ts';
import { expect, expectFunction } from '../kernel/check.ts';
import { defaultsOf, queueOptions } from '../kernel/door-options.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { envelopesOf } from '../payload/envelopes/envelope.ts';
import type { ClaimRules } from '../rules/decide.ts';
import type { Message } from './message.ts';
import type { SqsOptions } from './options.ts';

const defaults = {
  host: nodeHost,
  // Nothing reads the results of messages.
  recordResult: false,
  ...defaultsOf(queueOptions),
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
  expectKinds(queueOptions, options);
  const settings = settingsOf(options, { ...defaults, ...rules }) as SqsSettings<Body>;
  const { key, schema, deadLetters } = options;
  const { backoffSeconds } = settings;
  const known = envelopesOf(options.envelope)?.every((one) => typeof one?.open === 'function') ?? true;
  const envelopes = 'snsEnvelope(), eventBridgeEnvelope(), s3Events(), largePayload(…), decoded(…), or a list of them';
  expect(known, 'envelope', envelopes, options.envelope);
  const given: unknown = key;
  const named = typeof given === 'string' ? given : 'orderId';
  expectFunction('key', `a function of the message: bodyField('${named}')`, key, 'wrong-key-option');
  const standard = schema === undefined || typeof schema?.['~standard']?.validate === 'function';
  expect(standard, 'schema', 'a schema that follows Standard Schema: Zod 3.24, Valibot 1, ArkType 2, or later', schema);
  const seconds = typeof backoffSeconds === 'number' ? backoffSeconds : 30;
  const example = `a function of the receive count: () => ${seconds}`;
  expectFunction('backoffSeconds', example, backoffSeconds, 'wrong-handler');
  const sends = deadLetters === undefined || typeof deadLetters?.send === 'function';
  const url: unknown = deadLetters;
  const written = typeof url === 'string' ? JSON.stringify(url) : 'url';
  expect(sends, 'deadLetters', `deadLetterQueue(${written})`, deadLetters, 'wrong-dead-letters');
  return settings;
}
