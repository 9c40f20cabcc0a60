import { isGenerator } from '../kernel/callable.ts';
import { explainedError } from '../kernel/errors.ts';
import { lineOf, recordedError } from '../kernel/recorded-error.ts';
import { letFail, propertyOf } from '../kernel/unknown.ts';
import type { SqsRecord } from '../sqs/event.ts';
import { isEarlyTimeout } from './early-timeout.ts';

/** The result of one message of a batch handler. */
export interface MessageResult {
  /** `running`: none yet, and the handler may still be at work. `not-started`: the handler was never called. */
  readonly status: 'fulfilled' | 'rejected' | 'running' | 'not-started';
  readonly value?: unknown;
  readonly reason?: unknown;
}

/** The results of a batch handler, by the places of the messages among those that were handed on. */
export interface BatchResults {
  readonly of: (place: number) => MessageResult;
  /** They name single messages, so they can only be the handler's. */
  readonly namesMessages?: boolean;
  /** What the handler returned instead of results, by its type. */
  readonly misunderstood?: string;
}

/** What was handed on to the handler. */
export interface HandedOn {
  /** The messages, in the order of the event. */
  readonly messageIds: readonly string[];
  /** The copies of their records, in the same order. */
  readonly copies: readonly SqsRecord[];
  /** The list of records as the handler leaves it: it may have sorted it. */
  readonly left: readonly unknown[];
  /** Takes the value of one message. @throws what it says has failed */
  readonly finish: (value: unknown) => void;
}

/**
 * Understands what existing batch handlers return:
 *
 * - `PromiseSettledResult[]`, Middy's convention: in the order in which the handler leaves `event.Records`;
 * - `{ batchItemFailures }`, Lambda's own;
 * - what Lambda takes for success: nothing, `null`, `{}`, `{ batchItemFailures: null }`;
 * - a list of `undefined`, one for each message: `Promise.all` of functions that return nothing.
 *
 * Anything else is not understood, and then every message has failed: what the handler did to it is unknown.
 */
export function understand(response: unknown, handed: HandedOn): BatchResults {
  try {
    if (response === undefined || response === null) return succeeded;
    if (Array.isArray(response)) return understandList(response, handed);
    if (typeof response !== 'object') return misunderstood(`a value of type ${typeof response}`);
    if (isGenerator(response)) return misunderstood('a generator, and its body has not run');
    if ('batchItemFailures' in response) return understandFailures(response.batchItemFailures, handed.messageIds);
    return isEmpty(response) ? succeeded : misunderstood('an object without batchItemFailures');
  } catch {
    return misunderstood('something that cannot be read');
  }
}

const succeeded: BatchResults = { of: () => ({ status: 'fulfilled' }) };

function misunderstood(came: string): BatchResults {
  const expected = 'PromiseSettledResult[] in the order of event.Records, { batchItemFailures }, or nothing';
  const reason = explainedError(
    Error,
    `sqsOnce: the handler returned ${came}; expected ${expected}`,
    'misunderstood-response',
  );
  return { ...allFailed(reason), misunderstood: came };
}

/** All messages failed: of none is known whether it is done. */
function allFailed(reason: unknown): BatchResults {
  return sameForAll('rejected', reason);
}

/** One result for all messages. */
export function sameForAll(status: MessageResult['status'], reason?: unknown): BatchResults {
  return { of: () => ({ status, reason }) };
}

function understandList(list: readonly unknown[], { messageIds, copies, left, finish }: HandedOn): BatchResults {
  const { length } = messageIds;
  const results = Array.from(list, (element) => resultOf(element, finish));
  if (!results.some((result) => result.status !== undefined)) {
    const silent =
      list.length === length && Object.keys(list).length === length && list.every((one) => one === undefined);
    return silent ? succeeded : misunderstood(`a list of ${list.length} values that are no settled results`);
  }
  if (list.length !== length) return misunderstood(`${list.length} results for ${length} messages`);
  const order = placesOf(left, messageIds, copies);
  if (order === undefined)
    return misunderstood('results for an event.Records from which it has removed or replaced records');
  const byPlace = new Map<number, MessageResult>();
  for (const [index, { status = 'rejected', value, reason }] of results.entries()) {
    byPlace.set(order[index] ?? index, { status, value, reason });
  }
  return { of: (place) => byPlace.get(place) ?? { status: 'rejected', ...noResult() }, namesMessages: true };
}

/** One element of a list of results. What cannot be read is no result, nor is a promise, which nothing else will wait for. */
function resultOf(element: unknown, finish: HandedOn['finish']): Partial<MessageResult> {
  letFail(element);
  try {
    if (typeof element !== 'object' || element === null || !('status' in element)) return noResult();
    const { status } = element;
    if (status === 'fulfilled') {
      const value = 'value' in element ? element.value : undefined;
      letFail(value);
      finish(value);
      return { status, value };
    }
    return status === 'rejected' ? { status, reason: 'reason' in element ? element.reason : undefined } : noResult();
  } catch (error) {
    return { status: 'rejected', reason: error };
  }
}

/** Made only for what needs it: an error costs more than all else that is done for a message here. */
function noResult(): Partial<MessageResult> {
  return {
    reason: explainedError(Error, 'the handler returned no settled result for this message', 'misunderstood-response'),
  };
}

/** Of each record that the handler leaves, which message it is. Nothing, unless each message is there once. */
function placesOf(
  left: readonly unknown[],
  messageIds: readonly string[],
  copies: readonly SqsRecord[],
): readonly number[] | undefined {
  const byCopy = new Map<unknown, number>(copies.map((copy, place) => [copy, place]));
  const byId = new Map<unknown, number>(messageIds.map((id, place) => [id, place]));
  const places = left.map((record) => {
    const place = byCopy.get(record);
    if (place !== undefined || typeof record !== 'object' || record === null) return place;
    // Another middleware may have replaced a record by what it made of it.
    return 'messageId' in record ? byId.get(record.messageId) : undefined;
  });
  const found = new Set(places.filter((place) => place !== undefined));
  return found.size === messageIds.length && places.length === messageIds.length ? [...found] : undefined;
}

function understandFailures(given: unknown, messageIds: readonly string[]): BatchResults {
  const failures = given ?? [];
  // Promises in their place may fail later: nothing would handle that, and it would end the process with the whole batch.
  for (const one of [failures].flat()) letFail(one);
  if (!Array.isArray(failures)) return misunderstood('batchItemFailures that are no list');
  const listed = new Set(Array.from(failures, (failure) => propertyOf(failure, 'itemIdentifier')));
  const known = new Set<unknown>(messageIds);
  for (const id of listed) {
    if (!known.has(id)) return misunderstood('an itemIdentifier of none of its messages');
  }
  const reason = explainedError(Error, 'the handler listed this message in batchItemFailures', 'failed-in-batch');
  return {
    of: (place) => ({ status: listed.has(messageIds[place]) ? 'rejected' : 'fulfilled', reason }),
    namesMessages: listed.size > 0,
  };
}

/** `{}`, which Lambda takes for success; an Error, a Map or a Date has no fields of its own either. */
function isEmpty(response: object): boolean {
  const prototype = Object.getPrototypeOf(response);
  return (prototype === Object.prototype || prototype === null) && Reflect.ownKeys(response).length === 0;
}

/** The results of a batch handler that threw. */
export function resultsOfThrow(cause: unknown, messages: number): BatchResults {
  // An early timeout of Middy's: the handler is still running.
  if (isEarlyTimeout(cause)) return sameForAll('running');
  return resultsOfError(cause, messages);
}

/** An error of the whole batch, for each of its messages. */
export function resultsOfError(cause: unknown, messages: number): BatchResults {
  // A throw is about the batch. What it says of one message is only clear when there was only one.
  if (messages === 1) return allFailed(cause);
  return allFailed(
    explainedError(Error, `the batch handler threw ${lineOf(recordedError(cause))}`, 'failed-in-batch', { cause }),
  );
}
