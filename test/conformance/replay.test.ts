import { expect, test } from 'vitest';
import { memoryStore } from '../../lib/index.ts';
import { context } from '../support/lambda.ts';
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
  const options = optionsOf({ store: memoryStore(), onEvent: () => undefined });
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
    else expect(without(second)).toEqual(without(paidResponse(tried, 'p-1')));
    if (tried.replay === 'bare') expect(without(second)).not.toEqual(without(first));
    expect(textOf(first)).toContain('p-1');
  },
);
