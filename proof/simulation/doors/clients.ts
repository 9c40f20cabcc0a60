import type { Intent, LambdaEvent, Traffic } from '../parts.ts';
import type { DoorsSimulation } from './simulation.ts';

/** What a client has been told in the end. `parked`: it was told that somebody has to decide, and nobody will any more. */
type Final = 'done' | 'refused' | 'parked';

/** How long a client that was not told otherwise waits before it sends again. */
const retriesAfterMs = 2000;
/**
 * How often a client sends where there is a sweep. Without one, `maxAttempts` parks a request whose handler never ends in time. A sweep settles each doubt of
 * it, and a request with nothing in doubt may be repeated: a client without patience to lose would make a new doubt for ever.
 */
const mostTries = 60;

/** Clients of an HTTP API: each sends its request with the same key until it gets a final answer. */
export function startClients(simulation: DoorsSimulation, operatorsAreOver: () => boolean): Traffic {
  const { world, scenario, lambda, oracle, stats } = simulation;
  const { random } = world;
  const { traffic: plan, clients } = scenario;
  const intents = new Map<string, Intent>();
  const refused = new Set<string>();
  const poison = new Set<string>();
  let open = 0;
  let sends = 0;

  function start(intent: Intent): void {
    open++;
    intents.set(intent.name, intent);
    let tries = 0;
    const { sweep } = scenario;
    const neverComesBack = sweep !== undefined && random.chance(sweep.neverBack);
    world.after(random.between(0, plan.forMs), send);

    function send(): void {
      tries++;
      sends++;
      stats.messages++;
      const body = JSON.stringify({ orderId: intent.key, amount: Number(intent.payload), sentAt: sends });
      const event: LambdaEvent = {
        Records: [],
        http: {
          rawPath: '/charges',
          rawQueryString: '',
          requestContext: { http: { method: 'POST' } },
          headers: { 'content-type': 'application/json' },
          body,
        },
      };
      let waits = true;
      const cancel = world.after(clients.patienceMs, () => {
        waits = false;
        again(0);
      });
      lambda.invoke(event, (outcome) => {
        if (!waits) return;
        cancel();
        if (outcome.outcome === 'answered' && !simulation.strikes('responseLost')) hear(outcome.response);
        else again(0);
      });
    }

    function hear(response: unknown): void {
      const final = finalOf(response);
      if (final.is !== undefined) end(final.is, final.reason);
      else again(final.afterMs);
    }

    function finalOf(response: unknown): { readonly is?: Final; readonly reason?: string; readonly afterMs: number } {
      const { statusCode = 0, headers = {}, body = '{}' } = Object(response);
      world.note('client', 'of', `${intent.name} is told ${statusCode}`);
      const afterMs = Number(headers['retry-after'] ?? 0) * 1000;
      if (statusCode >= 200 && statusCode < 300) return { is: 'done', afterMs };
      const { reason } = isProblem(headers) ? JSON.parse(body) : {};
      if (statusCode === 422) return { is: 'refused', afterMs };
      const isStuck = reason === 'parked' || reason === 'given-up';
      return isStuck && operatorsAreOver() ? { is: 'parked', reason, afterMs } : { afterMs };
    }

    function again(afterMs: number): void {
      if (neverComesBack || (sweep !== undefined && tries >= mostTries)) {
        open--;
        return;
      }
      const waitMs = Math.max(afterMs, Math.min(60_000, retriesAfterMs * 1.5 ** tries));
      world.after(waitMs * random.between(0.8, 1.2), send);
    }

    function end(final: Final, reason?: string): void {
      open--;
      world.note('client', 'of', `${intent.name} ends: ${final}`);
      if (final === 'done') oracle.toldDone(intent);
      const { key = '' } = intent;
      if (final === 'parked' && oracle.wasSetAside(key)) oracle.problem(7, `${key} is ${reason}, and never ran`);
    }
  }

  for (let i = 1; i <= plan.keys; i++) {
    const key = `o${i}`;
    if (random.chance(plan.refused)) refused.add(key);
    if (random.chance(plan.poison)) poison.add(key);
    for (let client = 0; client < clients.perRequest; client++) start({ name: `${key}:500`, key, payload: '500' });
    if (random.chance(plan.otherPayload)) start({ name: `${key}:900`, key, payload: '900' });
  }

  return {
    intentOf: () => undefined,
    intentOfBody: () => undefined,
    intents: () => intents.values(),
    isRefused: (key) => refused.has(key),
    isPoison: (key) => poison.has(key),
    redrive: () => undefined,
    isOver: () => open === 0,
  };
}

function isProblem(headers: object): boolean {
  return Object.entries(headers).some(([name, value]) => name === 'content-type' && String(value).includes('problem'));
}
