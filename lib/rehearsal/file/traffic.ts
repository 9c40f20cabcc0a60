import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expectOptions } from '../../kernel/take-options.ts';
import type { NamesOf } from '../../kernel/unknown-option.ts';
import type { ProvisionedQueue } from '../provision.ts';
import type { Rehearsal } from '../rehearsal.ts';
import type {
  App,
  AppApi,
  AppFunction,
  AppQueue,
  AppResponse,
  AppTable,
  Intended,
  RequestOptions,
  SendOptions,
} from './app.ts';
import { itemsOf } from './effects.ts';
import { meant } from './find.ts';
import type { Intents } from './intents.ts';
import type { Journal } from './journal.ts';
import type { Plan } from './plan.ts';

/*
 * What the rehearsal file does with the app.
 *
 * Owns: sending, sending again, the client of an API, and what is owed: each intent with the effects that it is to have. Everything sent
 * is waited for here, so that a file may forget its promises.
 */

/** An intent that was sent, and how. */
export interface Sent {
  readonly intent: string;
  /** `undefined`: all. */
  readonly effects: readonly string[] | undefined;
  /** The client of an API was refused, so that nothing is owed; or never had a response, so that it does not know. */
  ended: 'sent' | 'refused' | 'no-response';
}

export interface Traffic {
  readonly app: App;
  readonly sent: ReadonlyMap<string, Sent>;
  /** Which intent a message is, by its id. */
  readonly messageIntents: ReadonlyMap<string, string>;
  readonly stats: { readonly messages: number; readonly duplicates: number };
  /** How much is still to be sent. */
  pending(): number;
  /** Resolves when all is sent. @throws the first error of a send that its author did not catch */
  settled(): Promise<void>;
  /** Nothing is sent any more. */
  stop(): void;
}

export interface TrafficOptions {
  readonly rehearsal: Rehearsal;
  readonly intents: Intents;
  readonly journal: Journal;
  readonly plan: Plan;
  /** Whether only some of the consumers run. What feeds none of them is not sent. */
  readonly isFiltered: boolean;
}

/** The traffic from the inside of this file. */
interface State extends TrafficOptions {
  readonly documents: DynamoDBDocumentClient;
  readonly sent: Map<string, Sent>;
  readonly messageIntents: Map<string, string>;
  readonly pending: Set<Promise<unknown>>;
  readonly errors: unknown[];
  readonly waiting: (() => void)[];
  readonly stats: { messages: number; duplicates: number };
  free: number;
  stopped: boolean;
}

const DOCS = 'docs/guides/rehearsal.md';
const SEND: NamesOf<SendOptions> = {
  intent: true,
  effects: true,
  groupId: true,
  deduplicationId: true,
  attributes: true,
  delaySeconds: true,
};
const REQUEST: NamesOf<RequestOptions> = { intent: true, effects: true, headers: true, retries: true, timeoutMs: true };

/** How many sends are under way at once. */
const AT_ONCE = 20;

export function createTraffic(options: TrafficOptions): Traffic {
  const { rehearsal } = options;
  const state: State = {
    ...options,
    documents: DynamoDBDocumentClient.from(rehearsal.dynamo, { marshallOptions: { removeUndefinedValues: true } }),
    sent: new Map(),
    messageIntents: new Map(),
    pending: new Set(),
    errors: [],
    waiting: [],
    stats: { messages: 0, duplicates: 0 },
    free: AT_ONCE,
    stopped: false,
  };
  return {
    app: appOf(state),
    sent: state.sent,
    messageIntents: state.messageIntents,
    stats: state.stats,
    pending: () => state.pending.size,
    async settled() {
      while (state.pending.size > 0) await Promise.allSettled(state.pending);
      if (state.errors.length > 0) throw state.errors[0];
    },
    stop() {
      state.stopped = true;
      for (const goOn of state.waiting.splice(0)) goOn();
    },
  };
}

function appOf(state: State): App {
  const { rehearsal } = state;
  const { stacks } = rehearsal;
  const consumedArns = new Set(stacks.flatMap(({ consumers }) => consumers.map(({ queue }) => queue.arn)));
  const deadLetterArns = new Set(stacks.flatMap(({ queues }) => queues.map(({ deadLetterArn }) => deadLetterArn)));
  return {
    queue: (construct) =>
      queueOf(
        state,
        meant(
          stacks.flatMap(({ queues }) => queues),
          construct,
          'queue',
          ({ arn }) => consumedArns.has(arn) && !deadLetterArns.has(arn),
        ),
      ),
    api: (construct) => {
      const found = meant(
        stacks.flatMap(({ apis }) => apis),
        construct,
        'HTTP API',
      );
      return apiOf(state, found.construct, found.server.endpoint);
    },
    table: (construct) =>
      tableOf(
        state,
        meant(
          stacks.flatMap(({ tables }) => tables),
          construct,
          'table',
        ).name,
      ),
    function: (construct) => functionOf(state, construct),
    dynamo: rehearsal.dynamo,
    sqs: rehearsal.sqs.client,
  };
}

/** Takes note of an intent, of which there may be several sends. */
function intend({ sent, intents }: State, { intent, effects }: Intended, how: string): Sent {
  if (typeof intent !== 'string' || intent === '') {
    throw new TypeError(`${how}: expected an intent, a text that names what is to happen once; got ${typeof intent}`);
  }
  intents.add(intent);
  const known = sent.get(intent);
  const all = known !== undefined && (known.effects === undefined || effects === undefined);
  const made: Sent = {
    intent,
    effects: known === undefined ? effects : all ? undefined : [...(known.effects ?? []), ...(effects ?? [])],
    ended: known?.ended ?? 'sent',
  };
  sent.set(intent, made);
  return made;
}

/** Does it when there is room, and remembers it until it is done. */
function enqueue<Made>(state: State, work: () => Promise<Made>, fallback: Made): Promise<Made> {
  const done = (async () => {
    if (state.free > 0) state.free -= 1;
    else await new Promise<void>((resolve) => state.waiting.push(resolve));
    try {
      return state.stopped ? fallback : await work();
    } finally {
      const next = state.waiting.shift();
      if (next === undefined) state.free += 1;
      else next();
    }
  })();
  const watched = done.catch((error: unknown) => {
    if (!state.stopped) state.errors.push(error);
  });
  state.pending.add(watched);
  void watched.then(() => state.pending.delete(watched));
  // The author may not wait for it. Its error is kept above.
  done.catch(() => undefined);
  return done;
}

/** Does something again after a while, if the plan says so. */
function again(state: State, intent: string, target: string, work: () => Promise<unknown>): void {
  const afterMs = state.plan.duplicateAfterMs(intent, target);
  if (afterMs === undefined) return;
  state.stats.duplicates += 1;
  const later = (async () => {
    await sleep(afterMs, undefined, { ref: false });
    if (!state.stopped) await work();
  })().catch(() => undefined);
  state.pending.add(later);
  void later.then(() => state.pending.delete(later));
}

function queueOf(state: State, queue: ProvisionedQueue): AppQueue {
  const isFifo = queue.name.endsWith('.fifo');
  const consumed = state.rehearsal.stacks.some(({ consumers }) => consumers.some((one) => one.queue.arn === queue.arn));
  return {
    name: queue.name,
    url: queue.url,
    async send(body, options) {
      expectOptions(options, { door: 'send', known: SEND, docs: DOCS });
      if (state.isFiltered && !consumed) return;
      const where = queue.construct;
      intend(state, options, `send to ${where}`);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const once = (copy: 'first' | 'again') => send(state, queue, text, options, copy, isFifo);
      await enqueue(state, () => once('first'), undefined);
      again(state, options.intent, where, () => once('again'));
    },
  };
}

async function send(
  { rehearsal, journal, messageIntents, stats }: State,
  { url, construct }: ProvisionedQueue,
  text: string,
  { intent, groupId, deduplicationId, attributes, delaySeconds }: Parameters<AppQueue['send']>[1],
  copy: 'first' | 'again',
  isFifo: boolean,
): Promise<void> {
  // Five minutes later, a FIFO queue takes the same deduplication id again. A rehearsal does not wait so long.
  const id = `${deduplicationId ?? intent}${copy === 'again' ? '-after-the-window' : ''}`.slice(-128);
  const group = groupId ?? (isFifo ? intent : undefined);
  const { MessageId = '' } = await rehearsal.sqs.client.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: text,
      ...(group === undefined ? {} : { MessageGroupId: group }),
      ...(isFifo ? { MessageDeduplicationId: id } : {}),
      ...(attributes === undefined ? {} : { MessageAttributes: attributesOf(attributes) }),
      ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    }),
  );
  stats.messages += 1;
  messageIntents.set(MessageId, intent);
  const how =
    copy === 'first'
      ? `sent to ${construct}`
      : `sent to ${construct} AGAIN${isFifo ? ', as after the deduplication window' : ''}`;
  journal.add([intent], { kind: 'asked', how: `${how}, message ${MessageId.slice(0, 8)}` });
}

function attributesOf(
  given: Readonly<Record<string, string | MessageAttributeValue>>,
): Record<string, MessageAttributeValue> {
  const attributes: Record<string, MessageAttributeValue> = {};
  for (const [name, value] of Object.entries(given)) {
    attributes[name] = typeof value === 'string' ? { DataType: 'String', StringValue: value } : value;
  }
  return attributes;
}

function apiOf(state: State, construct: string, endpoint: string): AppApi {
  const request: AppApi['request'] = async (method, path, body, options) => {
    expectOptions(options, { door: 'request', known: REQUEST, docs: DOCS });
    const sent = intend(state, options, `${method} to ${construct}`);
    const call = () => callApi(state, `${endpoint}${path.startsWith('/') ? '' : '/'}${path}`, method, body, options);
    again(state, options.intent, construct, call);
    const response = await enqueue<AppResponse>(state, call, { status: undefined, text: '' });
    const { status } = response;
    // Another request for the same intent may have had its response.
    if (sent.ended !== 'sent' || status === undefined || status >= 400) {
      sent.ended = status === undefined || status >= 500 ? 'no-response' : 'refused';
    }
    return response;
  };
  return {
    url: endpoint,
    request,
    post: (path, body, options) => request('POST', path, body, options),
    put: (path, body, options) => request('PUT', path, body, options),
  };
}

/** Calls an API, as a client that waits longer each time. */
async function callApi(
  { journal, stats, stopped }: State,
  url: string,
  method: string,
  body: unknown,
  { intent, headers = {}, retries = true, timeoutMs = 10_000 }: RequestOptions,
): Promise<AppResponse> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  let last: AppResponse = { status: undefined, text: '' };
  for (let attempt = 1; attempt <= (retries ? 12 : 1) && !stopped; attempt += 1) {
    if (attempt > 1) await sleep(Math.min(2_000, 100 * 2 ** attempt), undefined, { ref: false });
    stats.messages += 1;
    journal.add([intent], {
      kind: 'asked',
      how: `${method} ${new URL(url).pathname}${attempt > 1 ? ` AGAIN, attempt ${attempt}` : ''}`,
    });
    last = await fetchText(url, method, text, headers, timeoutMs);
    const { status } = last;
    journal.add([intent], { kind: 'answered', how: status === undefined ? 'no response' : `response ${status}` });
    if (status !== undefined && status < 500 && status !== 409 && status !== 429) return last;
  }
  return last;
}

async function fetchText(
  url: string,
  method: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<AppResponse> {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: undefined, text: '' };
  }
}

function tableOf(state: State, name: string): AppTable {
  return {
    name,
    async put(item, options) {
      intend(state, options, `put into ${name}`);
      const put = async (how: string) => {
        await state.documents.send(new PutCommand({ TableName: name, Item: { ...item } }));
        state.stats.messages += 1;
        state.journal.add([options.intent], { kind: 'asked', how: `${how} ${name}` });
      };
      await enqueue(state, () => put('put into'), undefined);
    },
    items: () => itemsOf(state.documents, name),
  };
}

function functionOf(state: State, construct: string): AppFunction {
  const { stacks } = state.rehearsal;
  return {
    async invoke(event, options) {
      intend(state, options, `invoke ${construct}`);
      const found = await functionIn(stacks, construct);
      const outcome = await enqueue(
        state,
        async () => {
          state.journal.add([options.intent], { kind: 'asked', how: `invoked ${construct}` });
          return found.invoke(event);
        },
        { kind: 'crashed' } as const,
      );
      if (outcome.kind === 'response') return outcome.value;
      throw new Error(
        outcome.kind === 'error'
          ? `${construct} failed: ${outcome.error.name}: ${outcome.error.message}`
          : `${construct} ${outcome.kind === 'timed-out' ? 'did not respond before its timeout' : 'crashed'}.`,
      );
    },
  };
}

async function functionIn(stacks: Rehearsal['stacks'], construct: string) {
  const problems: unknown[] = [];
  for (const stack of stacks) {
    try {
      return await stack.function(construct);
    } catch (error) {
      problems.push(error);
    }
  }
  throw problems[0];
}
