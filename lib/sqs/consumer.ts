import { acquire as acquireClaim } from '../claims/acquire.ts';
import { type Engine, emit } from '../claims/engine.ts';
import type { Grant } from '../claims/grant.ts';
import { type Identity, identify } from '../claims/identity.ts';
import { type Attributes, sourceOf } from '../claims/record.ts';
import { parkReleased } from '../claims/record-outcome.ts';
import { tooLate } from '../claims/run.ts';
import { type Compared, printsOf, ruleOf } from '../payload/fingerprint-rule.ts';
import {
  isInvalidMessage,
  returnedAttributes,
  returnedIntent,
  returnedKey,
  returnedSeconds,
  type Stage,
  toldOf,
} from './author-error.ts';
import { batchResponse } from './batch-response.ts';
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts';
import { type Fate, fateOfAuthorError, fateOfInvalid, fateOfRefused, soon } from './fate.ts';
import { groupOf } from './in-order.ts';
import { type Message, messageOf, parseJson, receiveCountOf, validated, wholeIntent } from './message.ts';
import type { SqsOptions } from './options.ts';
import { type Delayed, type Delivery, sqsQueue, type Tell } from './queue.ts';
import { sqsSettingsOf } from './settings.ts';

/** A message that may ask for a claim. */
export interface Runnable<Body> extends Delivery {
  readonly identity: Identity;
  readonly message: Message<Body>;
  readonly fingerprint?: string | undefined;
  /** By the rule before, while that is accepted. */
  readonly previousFingerprint?: string | undefined;
  /** What the author keeps beside the key. */
  readonly attributes?: Attributes | undefined;
}

/** When a batch was handed to this worker, and when the worker will be stopped, in epoch milliseconds. */
export interface Invocation {
  readonly startedAt: number;
  readonly deadline: number;
}

/** Kept back at the end of an invocation for the answer itself: what SQS has not answered by then is given up. */
const answerMs = 200;
/**
 * How long an SQS that does not answer may keep a message group waiting for its head to be set aside, in milliseconds. The rest of the group comes
 * again then; waited for to the end, it would take the invocation from messages that have nothing to do with it.
 */
const makeWayMs = 5000;
/** The longest that a message which did not get its turn waits for its next one. */
const longestTurnSeconds = 900;

/** What came of asking for the claim of a message. */
export type AskedFor =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly fate: Fate };

export type Consumer<Body> = ReturnType<typeof createConsumer<Body>>;

/** What the two ways of consuming SQS have in common: from a record to its claim, and from fates to a batch response. */
export function createConsumer<Body>(options: SqsOptions<Body>) {
  const { key, schema, deadLetters, sqsClient } = options;
  const settings = sqsSettingsOf(options);
  const { host, operation, onInFlight, backoffSeconds, attributes: attributesOf } = settings;
  const rule = ruleOf<Message<Body>>(settings.fingerprint);
  const engine: Engine<Message<Body>> = { settings };
  const tell: Tell = ({ identity, record: { messageId } }, fact) => emit(engine, identity, { messageId, ...fact });
  const { setVisibility, bury, maxReceiveCount } = sqsQueue({ host, client: sqsClient, deadLetters, tell });

  /** Reports a bug of the author's, and answers what becomes of the message. */
  function authorErred(one: Delivery, stage: Stage, thrown: unknown): Fate {
    const told = toldOf(thrown);
    tell(one, { type: 'author-error', stage, ...told });
    return fateOfAuthorError(told.error);
  }

  /**
   * The messages of an invocation, when it will be stopped, and what each has to do with those before it.
   *
   * @throws TypeError when it is not a batch of SQS messages, or no longer as SQS sent it
   */
  function receive<One extends Runnable<Body>>(event: SqsEvent, context: InvocationContext) {
    if (!Array.isArray(event?.Records) || !context?.getRemainingTimeInMillis) {
      throw new TypeError('expected an SQS event and a Lambda context');
    }
    const records: readonly SqsRecord[] = event.Records;
    for (const record of records) expectText(record);
    const byIdentity = new Map<string, { last: One; readonly byIntent: Map<string | undefined, One> }>();

    /**
     * What a message has to do with those of its batch that came before. `twin`: the first one with its key and its intent, whose outcome it
     * shares. `rival`: the last one with its key and another intent. It asks the store itself, once that one has ended: only the
     * record says which of the two intents the key belongs to.
     */
    function meet(one: One): { readonly twin?: One; readonly rival?: One } {
      const { identity, fingerprint } = one;
      const known = byIdentity.get(identity.id);
      if (known === undefined) {
        byIdentity.set(identity.id, { last: one, byIntent: new Map([[fingerprint, one]]) });
        return {};
      }
      const twin = known.byIntent.get(fingerprint);
      if (twin !== undefined) {
        tell(one, { type: 'repeated' });
        return { twin };
      }
      const rival = known.last;
      known.last = one;
      known.byIntent.set(fingerprint, one);
      return { rival };
    }

    const startedAt = host.now();
    return { records, startedAt, deadline: startedAt + context.getRemainingTimeInMillis(), meet };
  }

  /**
   * Answers nothing when the message cannot ask for its claim; its fate is known then. What is known of the message itself can never run.
   * What the author's code throws is a bug: the message comes again.
   */
  async function prepare<One extends Delivery>(one: One): Promise<(One & Runnable<Body>) | undefined> {
    const { record } = one;
    let stage: Stage = 'schema';
    try {
      const parsed = parseJson(record.body);
      // Before the author's code, which may change what was parsed.
      const wholeBy = (by: Compared<Message<Body>> | undefined) =>
        by && 'ignore' in by ? wholeIntent(record.body, parsed, by.ignore) : '';
      const whole = wholeBy(rule);
      const previousWhole = wholeBy(rule?.previous);
      const message = messageOf(record, schema ? await validated(parsed, schema) : (parsed as Body));
      stage = 'key';
      const identity = identify(operation, returnedKey(key(message)), host);
      stage = 'fingerprint';
      const textOf = (by: Compared<Message<Body>>) =>
        'of' in by ? returnedIntent(by.of(message)) : by === rule ? whole : previousWhole;
      const prints = printsOf(rule, textOf, host);
      stage = 'attributes';
      const attributes = attributesOf && returnedAttributes(attributesOf(message));
      return Object.assign(one, { message, identity, attributes, ...prints });
    } catch (error) {
      one.fate = isInvalidMessage(error) ? fateOfInvalid(error) : authorErred(one, stage, error);
      return undefined;
    }
  }

  /**
   * Asks for the claim of a message: either it is held, or the fate of the message is known. A store that is down is an
   * answer here: nothing runs, and the message stays. What was running when a worker died is only a suspect, unless it may
   * be taken over.
   */
  async function acquire(one: Runnable<Body>, deadline: number, mayTakeOver: boolean): Promise<AskedFor> {
    const late = tooLate(settings, deadline);
    if (late) {
      emit(engine, one.identity, { type: 'not-started', remainingMs: late.remainingMs });
      return { kind: 'refused', fate: soon };
    }
    const redelivered = receiveCountOf(one.record) > 1;
    const { messageId } = one.record;
    const source = onInFlight === 'discard' ? messageId : undefined;
    const acquired = await acquireClaim(engine, { ...one, deadline, redelivered, mayTakeOver, source });
    if (acquired.grant !== undefined) {
      one.grant = acquired.grant;
      return { kind: 'granted', grant: acquired.grant };
    }
    // The holder may have been given this very message, which SQS shows again: acknowledged now, its effect would be lost. Told by the id, and
    // by no clock. A claim that does not say is not taken for another's.
    const holder = acquired.record && sourceOf(acquired.record);
    const isAnother = holder !== undefined && holder !== messageId;
    return { kind: 'refused', fate: fateOfRefused(acquired, isAnother ? onInFlight : 'defer', settings.settleMs) };
  }

  /**
   * Buries the head of a message group that can never run, so that the group goes on in this batch. Every receive of a head that keeps failing is one
   * of those behind it as well: together with it, SQS would dead-letter them, without their having run. So it has half of the receives
   * for itself. The other half is left to those behind it: for their turn, and for workers that are lost.
   *
   * @param atLatest when SQS is not waited for any more, in epoch milliseconds
   */
  async function makeWay(
    one: Delivery,
    behind: number,
    { startedAt, deadline }: Invocation,
    atLatest = deadline - answerMs,
  ): Promise<void> {
    const { fate, record } = one;
    const until = Math.min(atLatest, host.now() + makeWayMs);
    if (fate?.fate !== 'again') return bury([one], until);
    const receives = receiveCountOf(record);
    // After a first failure, it has not had its second chance.
    if (fate.error === undefined || deadLetters === undefined || receives < 2) return;
    const most = await maxReceiveCount(one, until);
    const { timeoutMs, marginMs } = settings;
    // How many of a group have their turn in one invocation, if each takes as long as it may.
    const turns = timeoutMs === 0 ? behind : Math.max(1, Math.floor((deadline - startedAt - marginMs) / timeoutMs));
    const kept = Math.ceil(behind / turns);
    if (most === undefined || receives < Math.min(Math.floor(most / 2), most - kept)) return;
    // A copy of it that comes later would run after those that are behind it now: it waits for an operator, as the message does.
    if (one.grant !== undefined && !(await parkReleased(engine, one.grant, fate.error, until))) return;
    one.fate = { fate: 'dead-letter', reason: 'receives-used-up', error: fate.error };
    await bury([one], until);
    if (!one.isBuried) one.fate = fate;
  }

  /** Carries out the fates of a batch, and answers Lambda: every message that is not done comes again. */
  async function conclude(batch: readonly Delivery[], { startedAt, deadline }: Invocation): Promise<SqsBatchResponse> {
    const until = deadline - answerMs;
    await bury(batch, until);
    const unfinished = batch.filter((one) => one.fate?.fate !== 'done' && !one.isBuried);
    const idle = unfinished.filter((one) => (one.fate ?? soon) === soon && groupOf(one) === undefined);
    const places = new Map(idle.map((one, place) => [one, place]));
    const turns = batch.length - idle.length;
    const elapsedMs = host.now() - startedAt;

    /** What did not get its turn comes back when this worker could have come to it: all at once, most of it would lose another receive. */
    function turnSeconds(place: number): number {
      const rounds = turns === 0 ? 0 : Math.floor(place / turns);
      return Math.min(longestTurnSeconds, (rounds * elapsedMs) / 1000);
    }

    const delayed: Delayed[] = [];
    for (const one of unfinished) {
      const place = places.get(one);
      const seconds = place === undefined ? waitOf(one) : turnSeconds(place);
      if (seconds !== undefined) delayed.push({ ...one, seconds: Math.ceil(seconds) });
    }
    await setVisibility(delayed, until);
    return batchResponse(batch, unfinished);
  }

  /** Seconds until a message is to come again, spread out: or all that wait for one lease would meet at its end. */
  function waitOf(one: Delivery): number | undefined {
    const { record, fate = soon } = one;
    if (fate.fate !== 'again') return undefined;
    const { delayMs, atLeastMs = 0 } = fate;
    if (delayMs !== undefined) return delayMs && (delayMs + host.random() * (500 + delayMs / 10)) / 1000;
    try {
      const seconds = returnedSeconds(backoffSeconds(receiveCountOf(record)));
      return seconds && Math.max(seconds * (0.75 + host.random() / 2), atLeastMs / 1000);
    } catch (error) {
      // Whatever the author's back-off does, the batch is answered.
      authorErred(one, 'backoffSeconds', error);
      return undefined;
    }
  }

  return { settings, engine, receive, prepare, acquire, makeWay, setVisibility, conclude };
}

/**
 * What another middleware has parsed is no longer what was sent: numbers are rounded, and two intents may have become one.
 * @throws TypeError
 */
function expectText({ body }: SqsRecord): void {
  if (typeof body === 'string') return;
  const came = body === null ? 'null' : `of type ${typeof body}`;
  throw new TypeError(
    `the body of a message is ${came}, and not the text that SQS sent: another middleware has parsed it. Nothing was run, and the ` +
      'messages stay on their queue. Put pawl before what parses bodies: `.use(sqsOnce(…)).use(eventNormalizer())`',
  );
}
