import { expect, test } from 'vitest';
import { memoryStore } from '../../../lib/pawl/index.ts';
import { context, noQueue } from '../../support/lambda.ts';
import { buildApi, type Event, eventOf, optionsOf, paidResponse, textOf } from './http.ts';
import { quietly } from './sweep.ts';
import { answersOnce, nameOf, type Tried, triedAt } from './table.ts';

interface Response {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

quietly();

/** An API of one cell, and how often its handler has run. */
async function apiOf(tried: Tried) {
  const calls: Event[] = [];
  const build = await buildApi(tried);
  const options = optionsOf({ store: { ...memoryStore(), aws: noQueue }, onEvent: () => undefined });
  const api = build(options, async (event) => {
    calls.push(event);
    return paidResponse(tried, 'p-1');
  });
  const send = async (event = eventOf(tried, 'p-1')) => (await api(event, context())) as Response;
  return { calls, send };
}

const told = (headers: Response['headers'], name: string) =>
  Object.entries(headers ?? {}).find(([other]) => other.toLowerCase() === name)?.[1];

/** All of a response but that it is a replay. */
function without({ headers = {}, ...rest }: Response) {
  const { 'Idempotency-Replayed': _, ...others } = headers;
  return { headers: others, ...rest };
}

// What answers for real work once has answered the first of the two.
/** A response whose body is a text, as every service wants it. */
function asJson({ statusCode, body }: Response): Response {
  if (typeof body === 'string') return { statusCode, headers: {}, body };
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const cells = triedAt('http').filter(({ expected, row }) => expected.kind === 'works' && !answersOnce(row));

test.each(cells.map((tried) => [nameOf(tried), tried] as const))(
  '%s: a second request is answered as the table says',
  async (_, tried) => {
    const { calls, send } = await apiOf(tried);
    const first = await send();
    const second = await send();
    expect(calls).toHaveLength(1);
    expect(first.statusCode).toBe(201);
    expect(told(second.headers, 'idempotency-replayed')).toBe('true');
    if (tried.replay === 'same') expect(without(second)).toEqual(without(first));
    else expect(without(second)).toEqual(asJson(paidResponse(tried, 'p-1')));
    if (tried.replay === 'bare') expect(without(second)).not.toEqual(without(first));
    expect(textOf(first)).toContain('p-1');
  },
);

const withCors = triedAt('http').filter(({ row }) => row.name === 'http-cors');

test.each(withCors.map((tried) => [nameOf(tried), tried] as const))(
  '%s: a browser can read pawl’s own problem details where they pass through the middleware',
  async (_, tried) => {
    const { send } = await apiOf(tried);
    const event = eventOf(tried, 'p-1');
    const problem = await send({ ...event, headers: { ...event.headers, 'idempotency-key': '' } });
    expect(problem.statusCode).toBe(400);
    const origin = told(problem.headers, 'access-control-allow-origin');
    expect(origin).toBe(tried.position === 'around' ? 'https://shop.example.com' : undefined);
  },
);

/** Parsed, these two are one number. */
const amounts = ['9007199254740993', '9007199254740992'] as const;
const withJson = triedAt('http').filter(({ row }) => row.rounds !== undefined);

test.each(withJson.map((tried) => [nameOf(tried), tried] as const))(
  '%s: another amount beyond 2^53 never gets the response of the first',
  async (_, tried) => {
    const { calls, send } = await apiOf(tried);
    const [first, second] = amounts.map((amount) => ({
      ...eventOf(tried, 'p-1'),
      body: `{"payment":"p-1","amountCents":${amount}}`,
    }));
    if (tried.row.rounds?.includes(tried.position)) {
      await expect(send(first)).rejects.toThrow('the body was parsed before pawl saw it');
      expect(calls).toEqual([]);
    } else {
      expect((await send(first)).statusCode).toBe(201);
      expect((await send(second)).statusCode).toBe(422);
      expect(calls).toHaveLength(1);
    }
  },
);
