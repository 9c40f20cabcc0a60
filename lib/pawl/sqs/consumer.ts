import type { Engine } from '../engine/engine.ts';
import { type Envelope, envelopesOf } from '../payload/envelopes/envelope.ts';
import { type FingerprintRule, ruleOf } from '../payload/fingerprint-rule.ts';
import type { ClaimRules } from '../rules/decide.ts';
import type { Message } from './message.ts';
import type { SqsOptions } from './options.ts';
import { SqsQueue } from './queue.ts';
import { reportDelivery } from './report.ts';
import { type SqsSettings, sqsSettingsOf } from './settings.ts';
import { sqsOf } from './sqs-of.ts';

/**
 * A consumer of SQS: what `eachMessage`, `eachTransaction` and `sqsOnce` have in common.
 *
 * Owns: what is decided once, when a function is set up (its settings, its engine, its fingerprint rule), its calls to SQS, and its reports about messages.
 * A message goes through `receive.ts` (the batch), `open.ts` (its envelopes), `prepare.ts` (body → key and intent), `batch-mates.ts` (repeats), `claim-message.ts`
 * (the claim), the door's own handling, and `conclude.ts` (dispositions → batch response). Does not own: in which order the messages of
 * a batch are handled (`batch-run.ts`, `middy/claim-batch.ts`), and any rule about claims (`rules/`).
 *
 * 1. Each message of a batch gets exactly one disposition. Only `acknowledged`, and `dead-lettered` with a copy that is safe in the dead-letter
 *    queue, leave the batch response. (`conclude`)
 * 2. What is known of the message itself dead-letters it. What the author's code throws returns it, and is reported. (`prepare`)
 * 3. A message never decides about another one of its batch: it shares an outcome only with a repeat of its key and its intent. (`BatchMates`)
 * 4. A store that fails returns the message, and nothing runs. (`claimMessage`)
 * 5. A duplicate is discarded only where another message holds the claim. (`claimMessage`)
 * 6. No call to SQS decides over an effect: none throws, and each is given up in time. (`SqsQueue`)
 */
export interface QueueDoor<Body> {
  readonly options: SqsOptions<Body>;
  readonly settings: SqsSettings<Body>;
  readonly engine: Engine<Message<Body>>;
  /** What of a message is its intent; nothing where intents are not compared. */
  readonly rule: FingerprintRule<Message<Body>> | undefined;
  readonly queue: SqsQueue;
  /** From the outermost to the innermost; nothing where the option is not given. */
  readonly envelopes: readonly Envelope[] | undefined;
}

/** What a door says of the handlers behind it. */
export type DoorRules = Pick<ClaimRules, 'atomic' | 'stepless'>;

/** @throws OptionError when an option is missing or out of range */
export function createQueueDoor<Body>(options: SqsOptions<Body>, rules: DoorRules = {}): QueueDoor<Body> {
  const settings = sqsSettingsOf(options, rules);
  const rule = ruleOf<Message<Body>>(settings.fingerprint);
  const engine: Engine<Message<Body>> = { settings };
  const { deadLetters } = options;
  const queue = new SqsQueue({
    host: settings.host,
    transport: sqsOf('the consumer', options),
    deadLetters,
    report: (one, fact) => reportDelivery(engine, one, fact),
  });
  return { options, settings, engine, rule, queue, envelopes: envelopesOf(options.envelope) };
}
