import middy from '@middy/core';
import { onceOverHttp } from '../../../lib/pawl/http/index.ts';
import {
  type Claim,
  type ClaimRecord,
  type ClaimStore,
  canonicalValue,
  type Host,
  InDoubtError,
  type OnceOutcome,
  once,
  reconcile,
  renewedLease,
  step,
} from '../../../lib/pawl/index.ts';
import { sqsOnce } from '../../../lib/pawl/middy/index.ts';
import { deadLetterQueue, eachMessage, type SqsEvent, type SqsRecord } from '../../../lib/pawl/sqs/index.ts';
import { sdk } from '../../../lib/pawl/stores/dynamodb/index.ts';
import { resolverOf } from '../../support/resolver-of.ts';
import { aheadBy, chance, clock, failed, fakeSqs, mapStore, record, saturday } from './kit.ts';

const doors = ['eachMessage', 'sqsOnce', 'once', 'onceOverHttp'] as const;
const ways = ['plain', 'effect', 'steps'] as const;
const policies = ['retry', 'park', 'reconcile'] as const;

interface Body {
  readonly id: string;
  readonly n: number;
}

interface Letter {
  readonly body: Body;
  id: string;
  receives: number;
  visibleAt: number;
  firstReceivedAt?: number | undefined;
  receipt?: string;
  redriven?: number;
  deadAt?: number;
  end?: 'done' | 'dead' | undefined;
}

export interface Found {
  readonly seed: number;
  readonly what: string;
  readonly wrong: readonly string[];
  readonly done: number;
  readonly dead: number;
  readonly faults: number;
  readonly kills: number;
  readonly effects: number;
}

const answered = 'it has answered';
const settleMs = 14_000;
const lateMs = 6_000;
const invocationMs = 30_000;
const visibilityMs = 180_000;
/** How long a caller waits before it asks again. */
const again = (times: number) => 250 * 2 ** Math.min(times, 8);
const dlq = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq';

/**
 * One seed: a few messages, some of them twice and some with a payload that is not theirs, worked on by workers that are killed, over a
 * store that refuses, loses answers, delivers late and twice, and hangs; with a provider that does likewise. Effects are counted at the
 * provider.
 */
export async function attack(seed: number): Promise<Found> {
  const luck = chance(seed);
  const time = clock(saturday);
  const door = luck.one(doors);
  const way = luck.one(ways);
  const policy = way === 'steps' ? 'retry' : luck.one(policies);
  const renewed = door !== 'sqsOnce' && luck.odds(0.3);
  const fifo = door === 'eachMessage' && luck.odds(0.25);
  const calm = time.now() + 240_000 + luck.below(300_000);
  const rate = luck.one([0.05, 0.15, 0.3, 0.5]);
  const kept = mapStore();
  const wrong: string[] = [];
  const counts = { faults: 0, kills: 0 };
  const applied: { effectKey: string; name: string; id: string; n: number }[] = [];
  const story = process.env['ATTACK_STORY'] === String(seed);
  const tell = (what: string) => story && console.log(`${((time.now() - saturday) / 1000).toFixed(2)} s ${what}`);
  const trouble = (odds = rate) => time.now() < calm && luck.odds(odds) && ++counts.faults > 0;

  const fences = new Map<string, number>();
  const lastWrite = new Map<string, number>();
  const watch = (found: ClaimRecord | undefined, next: ClaimRecord) => {
    tell(`  stored ${next.id} ${next.status} fence ${next.fence} rev ${next.rev}`);
    if (next.fence < (fences.get(next.id) ?? 0)) wrong.push(`the fence of ${next.id} went back`);
    fences.set(next.id, next.fence);
    lastWrite.set(next.id, time.now());
    if (found?.status === 'completed' && next.status !== 'completed')
      wrong.push(`${next.id} is not completed any more`);
    const id = next.id.slice('pay#'.length);
    if (next.status === 'completed' && !applied.some((one) => one.id === id))
      wrong.push(`${next.id} is completed, and its effect has not happened`);
  };
  const apply: typeof kept.apply = (write) => {
    const found = kept.get(write.next.id);
    const answer = kept.apply(write);
    if (answer.applied) watch(found, write.next);
    return answer;
  };

  /** One worker: its clock, its store and its way to the provider. Dead, it never hears or does anything again. */
  function sandbox(number: number) {
    let alive = true;
    const ahead = luck.below(1001) - 500;
    const own = aheadBy(ahead, time);
    const never = () => new Promise<never>(() => {});
    const host: Host = {
      ...own,
      random: luck.next,
      randomId: () => `${number}-${luck.below(1e9)}-${luck.below(1e9)}`,
      after: (ms, run) => time.after(ms, () => alive && run()),
    };
    const kill = (why: string) => {
      if (!alive) return;
      tell(`worker ${number} is killed: ${why}`);
      alive = false;
      if (why !== answered) counts.kills++;
      died();
    };
    let died = () => {};
    const takes = (ms: number) =>
      new Promise<void>((resolve, reject) => {
        time.after(ms, () => (alive ? resolve() : reject(new Error('dead'))));
      });
    /** Does it after so long, unless something goes wrong with it. */
    async function call<T>(
      name: string,
      ms: number,
      act: () => T,
      how: { late: number; again: boolean; kills: boolean },
    ) {
      if (!alive) return never();
      const fault = trouble()
        ? luck.one([
            'refuse',
            'lose',
            'late',
            'hang',
            'hang-lost',
            ...(how.again ? ['twice'] : []),
            ...(how.kills ? ['kill-before', 'kill-after'] : []),
          ])
        : 'none';
      if (fault !== 'none') tell(`worker ${number} ${name}: ${fault}`);
      if (fault === 'kill-before') {
        kill(name);
        return never();
      }
      await new Promise<void>((resolve) => time.after(ms, resolve));
      // The request has left the worker by now: it arrives whether or not the worker lives.
      const late = () => time.after(1 + luck.below(how.late), () => void act());
      if (fault === 'refuse') return alive ? Promise.reject(new Error('ECONNREFUSED')) : never();
      if (fault === 'hang-lost') return never();
      if (fault === 'late') {
        late();
        return alive ? Promise.reject(new Error('ETIMEDOUT')) : never();
      }
      const answer = act();
      if (fault === 'twice') late();
      if (fault === 'kill-after') kill(name);
      if (!alive || fault === 'hang') return never();
      if (fault === 'lose') throw new Error('ECONNRESET');
      return answer;
    }
    const store: ClaimStore = {
      read: (id) => call('read', 1 + luck.below(40), () => kept.get(id), { late: 1, again: false, kills: true }),
      write: (write) => {
        const copy = structuredClone(write);
        return call(`write ${write.next.status}`, 1 + luck.below(40), () => apply(copy), {
          late: 10_000,
          again: true,
          kills: true,
        });
      },
    };
    const request = (name: string, effectKey: string, { id, n }: Body, honours: boolean) =>
      call(
        `provider ${name} ${id}`,
        20 + luck.below(luck.odds(0.1) ? 4_000 : 400),
        () => {
          if (honours && applied.some((one) => one.effectKey === effectKey && one.name === name)) return 'done before';
          tell(`  applied ${name} of ${id} n ${n}`);
          applied.push({ effectKey, name, id, n });
          return 'done';
        },
        { late: lateMs, again: honours, kills: true },
      );
    const asks = (name: string, effectKey: string) =>
      call('look-up', 20, () => applied.some((one) => one.effectKey === effectKey && one.name === name), {
        late: 1,
        again: false,
        kills: true,
      });
    return {
      host,
      store,
      request,
      asks,
      takes,
      kill,
      number,
      isAlive: () => alive,
      onDeath: (hear: () => void) => (died = hear),
    };
  }
  type Sandbox = ReturnType<typeof sandbox>;

  /** The handler of one message. */
  async function work(box: Sandbox, body: Body, claim: Claim): Promise<string> {
    if (luck.odds(0.3)) await box.takes(luck.below(2_000));
    if (way === 'steps') {
      const asking = reconcile({
        ask: async ({ effectKey }) => ({ verdict: (await box.asks('c', effectKey)) ? 'applied' : 'not-applied' }),
        settleMs,
      });
      await step(claim, 'a', ({ effectKey }) => box.request('a', effectKey, body, true), { onAbandoned: 'retry' });
      const second = step(claim, 'b', ({ effectKey }) => box.request('b', effectKey, body, false), {
        onAbandoned: 'park',
      });
      // Careless with what is in doubt: such a step keeps its claim from completing all the same.
      await second.catch((error: unknown) => {
        if (!(error instanceof InDoubtError) || luck.odds(0.5)) throw error;
      });
      await step(claim, 'c', ({ effectKey }) => box.request('c', effectKey, body, false), { onAbandoned: asking });
      return 'paid';
    }
    const honours = policy === 'retry';
    if (way === 'plain') return box.request('a', claim.effectKey, body, honours);
    await claim.effect(() => box.request('a', claim.effectKey, body, honours));
    if (trouble()) throw new Error('after its effect');
    return 'paid';
  }

  const sqs = fakeSqs();
  function options(box: Sandbox) {
    return {
      operation: 'pay',
      store: box.store,
      host: box.host,
      onEvent: (event: { type: string; id: string }) => void tell(`worker ${box.number} ${event.type} ${event.id}`),
      ...(renewed && { lease: renewedLease(5_000) }),
      onAbandoned:
        policy === 'reconcile'
          ? reconcile<never>({
              ask: async ({ effectKey, key }) => ({
                verdict: (await box.asks('a', door === 'sqsOnce' ? `pay:${key}` : effectKey))
                  ? 'applied'
                  : 'not-applied',
              }),
              settleMs,
            })
          : policy,
      ...(way === 'effect' && door !== 'sqsOnce' && { marksEffect: true }),
    };
  }

  const letters: Letter[] = [];
  const ids = Array.from({ length: 1 + luck.below(3) }, (_, i) => `o-${i}`);
  for (const id of ids) {
    const copies = 1 + luck.below(3);
    for (let i = 0; i < copies; i++) {
      letters.push({
        id: `m${letters.length}`,
        body: { id, n: luck.odds(0.12) ? 2 : 1 },
        receives: 0,
        visibleAt: time.now() + luck.below(luck.one([1, 2_000, 60_000])),
      });
    }
  }
  const records = (batch: readonly Letter[]): SqsRecord[] =>
    batch.map((one) => ({
      ...record(one.body, {
        id: one.id,
        receiveCount: one.receives,
        firstReceivedAt: one.firstReceivedAt ?? time.now(),
        ...(fifo && { group: 'g' }),
      }),
      receiptHandle: one.receipt ?? '',
    }));

  /** What one invocation says of each of its messages. */
  async function invoke(box: Sandbox, batch: readonly Letter[]): Promise<Map<string, 'done' | 'dead' | 'again'>> {
    const end = box.host.now() + invocationMs;
    const context = { getRemainingTimeInMillis: () => end - box.host.now() };
    const said = new Map<string, 'done' | 'dead' | 'again'>();
    const common = {
      ...options(box),
      aws: sdk({ sqs: sqs.client }),
      key: ({ body }: { body: unknown }) => (body as Body).id,
      deadLetters: deadLetterQueue(dlq),
    };
    if (door === 'eachMessage' || door === 'sqsOnce') {
      const sent: SqsEvent = { Records: records(batch) };
      const before = sqs.sent().length;
      const handler =
        door === 'eachMessage'
          ? eachMessage<Body>({ ...common, concurrency: 1 + luck.below(5) } as never, ({ body }, claim) =>
              work(box, body as Body, claim),
            )
          : middy(
              async (given: SqsEvent) =>
                Promise.allSettled(
                  given.Records.map((one) => {
                    const body = JSON.parse(one.body) as Body;
                    return box.request('a', `pay:${body.id}`, body, policy === 'retry');
                  }),
                ),
              { timeoutEarlyInMillis: 0 },
            ).use(sqsOnce(common as never));
      const answer = await (handler as (event: SqsEvent, context: unknown) => Promise<unknown>)(sent, context);
      const dead = sqs
        .sent()
        .slice(before)
        .map(({ MessageAttributes }) => MessageAttributes['pawl-source-message-id'].StringValue);
      const again = new Set(failed(answer));
      for (const { id } of batch) said.set(id, again.has(id) ? 'again' : dead.includes(id) ? 'dead' : 'done');
      return said;
    }
    await Promise.all(
      batch.map(async ({ id, body }) => {
        try {
          if (door === 'once') {
            const call = once<Body, string>(
              { ...(options(box) as object), key: (input: Body) => input.id, fingerprint: canonicalValue } as never,
              (input, claim) => work(box, input, claim),
            ).outcome;
            const { outcome }: OnceOutcome<string> = await call(body, {
              remainingMs: context.getRemainingTimeInMillis,
            });
            const ends = {
              completed: 'done',
              'in-doubt': 'again',
              'in-flight': 'again',
              parked: 'dead',
              rejected: 'dead',
              'key-reused': 'dead',
            } as const;
            said.set(id, ends[outcome]);
            return;
          }
          const handler = onceOverHttp(
            {
              ...(options(box) as object),
              caller: 'anyone',
              key: ({ body: sent }: { body: unknown }) => (sent as Body).id,
            } as never,
            async (event: { body: string }, _: unknown, claim: Claim) => {
              await work(box, JSON.parse(event.body), claim);
              return { statusCode: 201, body: 'paid' };
            },
          );
          const http = {
            version: '2.0',
            rawPath: '/',
            rawQueryString: '',
            headers: {},
            requestContext: { http: { method: 'POST', path: '/' } },
          };
          const answer = (await handler({ ...http, body: JSON.stringify(body) } as never, context as never)) as {
            statusCode: number;
            body?: string;
          };
          const parked = answer.statusCode === 409 && /parked|given-up/.test(answer.body ?? '');
          said.set(id, answer.statusCode < 400 ? 'done' : answer.statusCode === 422 || parked ? 'dead' : 'again');
        } catch (error) {
          tell(`worker ${box.number} ${id} threw ${error instanceof Error ? error.message : error}`);
          said.set(id, 'again');
        }
      }),
    );
    return said;
  }

  let boxes = 0;
  let running = 0;
  async function deliver(batch: readonly Letter[]): Promise<void> {
    running++;
    const box = sandbox(++boxes);
    for (const one of batch) {
      one.receives++;
      one.firstReceivedAt ??= time.now();
      one.receipt = `r-${one.id}-${one.receives}`;
      one.visibleAt = time.now() + visibilityMs;
    }
    tell(`worker ${box.number} receives ${batch.map(({ id, body }) => `${id} (${body.id} n ${body.n})`).join(', ')}`);
    const died = new Promise<undefined>((resolve) => box.onDeath(() => resolve(undefined)));
    const stopped = time.after(invocationMs, () => box.kill('its time is over'));
    const answer = await Promise.race([
      died,
      invoke(box, batch).catch((error: unknown) => {
        wrong.push(`the handler threw: ${error}`);
        return undefined;
      }),
    ]);
    stopped();
    // Frozen, as Lambda freezes it, and never thawed.
    if (answer !== undefined) box.kill(answered);
    running--;
    for (const one of batch) {
      const said = answer?.get(one.id);
      const until = sqs.visibility().get(one.receipt ?? '');
      if (said === 'again')
        one.visibleAt =
          time.now() +
          (until !== undefined ? until * 1000 : door.startsWith('once') ? again(one.receives) : visibilityMs);
      if (answer === undefined) one.visibleAt = Math.max(one.visibleAt, time.now());
      if (said === 'dead') Object.assign(one, { end: 'dead', deadAt: time.now() });
      if (said !== 'done') continue;
      one.end = 'done';
      tell(`${one.id} is acknowledged`);
      const mine = applied.filter(({ id, n }) => id === one.body.id && n === one.body.n);
      if (mine.length === 0) wrong.push(`${one.id} is acknowledged, and the effect of its payload has not happened`);
    }
  }

  /** Somebody who looks, when all is quiet, at what the provider has done, says so, and sends the message again. */
  async function operate(one: Letter): Promise<void> {
    // A request that was given up a moment ago may still be on its way: nobody can know yet.
    if (time.now() < (lastWrite.get(`pay#${one.body.id}`) ?? 0) + 60_000) return;
    one.redriven = (one.redriven ?? 0) + 1;
    const parked = resolverOf({ operation: 'pay', store: { read: kept.read, write: async (write) => apply(write) } });
    const { id } = one.body;
    const claim = await parked.read(id);
    if (claim?.status !== 'parked') return;
    const truth = (name: string) => (applied.some((a) => a.id === id && a.name === name) ? 'applied' : 'not-applied');
    const by = { by: 'maria', note: 'looked', fence: claim.fence };
    // Which steps are in doubt is asked with a resolution that names none of them, and so changes nothing where there are some.
    let answer = await parked.resolve(id, way === 'steps' ? {} : truth('a'), by);
    if (answer.outcome === 'steps-in-doubt')
      answer = await parked.resolve(id, Object.fromEntries(answer.steps.map((name) => [name, truth(name)])), by);
    tell(`maria: ${id} ${answer.outcome}`);
    Object.assign(one, {
      end: undefined,
      id: `${one.id}r`,
      receives: 0,
      firstReceivedAt: undefined,
      visibleAt: time.now(),
    });
  }

  const limit = time.now() + 6 * 3_600_000;
  while (
    (letters.some(({ end, redriven = 0 }) => end === undefined || (end === 'dead' && redriven < 2)) || running > 0) &&
    time.now() < limit
  ) {
    const ready = letters.filter(({ end, visibleAt }) => end === undefined && visibleAt <= time.now());
    const locked =
      fifo &&
      letters.some(({ end, visibleAt, receives }) => end === undefined && receives > 0 && visibleAt > time.now());
    for (const one of letters) {
      if (one.end === 'dead' && time.now() > (one.deadAt ?? 0) + 90_000 && (one.redriven ?? 0) < 2 && running === 0)
        await operate(one);
    }
    if (ready.length > 0 && running < 3 && !locked) {
      const batch = fifo ? ready.slice(0, 1 + luck.below(ready.length)) : ready.filter(() => luck.odds(0.7));
      if (batch.length > 0) void deliver(batch);
    }
    await time.advance(running > 0 ? 1 + luck.below(1_500) : 1_000 + luck.below(20_000));
  }
  await time.advance(30_000);

  const names = way === 'steps' ? ['a', 'b', 'c'] : ['a'];
  for (const id of ids) {
    for (const name of names) {
      const times = applied.filter((one) => one.id === id && one.name === name).length;
      if (times > 1) wrong.push(`effect ${name} of ${id} happened ${times} times`);
      if (kept.get(`pay#${id}`)?.status === 'completed' && times !== 1 && door !== 'sqsOnce')
        wrong.push(`${id} is completed, and its effect ${name} happened ${times} times`);
    }
  }
  for (const { id, end, receives } of letters)
    if (end === undefined) wrong.push(`${id} has no end after ${receives} receives`);
  return {
    seed,
    what: [door, way, policy, renewed && 'renewed', fifo && 'fifo'].filter(Boolean).join(', '),
    wrong,
    done: letters.filter(({ end }) => end === 'done').length,
    dead: letters.filter(({ end }) => end === 'dead').length,
    ...counts,
    effects: applied.length,
  };
}
