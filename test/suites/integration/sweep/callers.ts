import { reconcile } from '../../../../lib/pawl/engine/reconcile.ts';
import { onceOverHttp } from '../../../../lib/pawl/http/index.ts';
import { dynamoStore, sdk } from '../../../../lib/pawl/stores/dynamodb/index.ts';
import { sweepOpenClaims } from '../../../../lib/pawl/sweep/index.ts';
import { apiGatewayV2 } from '../../../support/http-events.ts';
import { localClient } from '../../../support/tables.ts';

/** A process that is to be killed: a function with many requests in mid-effect, or a sweep in mid-question. */
export const operation = 'charge';

/** The API, with a provider at this URL. */
export function chargeApi(endpoint: string, tableName: string, provider: string) {
  return onceOverHttp(
    {
      operation,
      store: dynamoStore({ tableName, aws: sdk({ dynamodb: localClient(endpoint) }) }),
      caller: 'anyone',
      onAbandoned: 'retry',
      skewMs: 100,
      marginMs: 200,
      onEvent: () => undefined,
    },
    async (_event: ReturnType<typeof apiGatewayV2>, _context: { getRemainingTimeInMillis(): number }, claim) => {
      const response = await fetch(`${provider}/charges/${encodeURIComponent(claim.effectKey)}`, { method: 'POST' });
      return { statusCode: 201, body: await response.text() };
    },
  );
}

export const requestOf = (key: string) =>
  apiGatewayV2({
    path: '/charges',
    headers: { 'idempotency-key': `"${key}"`, 'content-type': 'application/json' },
    body: '{}',
  });

/** A sweep whose provider is at this URL. */
export function chargeSweep(endpoint: string, tableName: string, provider: string) {
  return sweepOpenClaims({
    store: dynamoStore({ tableName, aws: sdk({ dynamodb: localClient(endpoint) }) }),
    operations: {
      [operation]: {
        maxAbandoned: 3,
        onAbandoned: reconcile({
          settleMs: 200,
          async ask({ effectKey }) {
            const response = await fetch(`${provider}/charges/${encodeURIComponent(effectKey)}`);
            const body = await response.text();
            if (response.status === 200) return { verdict: 'applied', result: { statusCode: 201, body } };
            return { verdict: response.status === 404 ? 'not-applied' : 'inconclusive' };
          },
        }),
      },
    },
    askTimeoutMs: 1000,
    askAgainMs: 100,
    skewMs: 100,
    onEvent: () => undefined,
    onReport: () => undefined,
  });
}

if (import.meta.main) {
  const [mode, endpoint = '', tableName = '', provider = '', ...keys] = process.argv.slice(2);
  if (mode === 'sweep') await chargeSweep(endpoint, tableName, provider)();
  else {
    const endsAt = Date.now() + 3000;
    const handler = chargeApi(endpoint, tableName, provider);
    await Promise.all(
      keys.map((key) => handler(requestOf(key), { getRemainingTimeInMillis: () => endsAt - Date.now() })),
    );
  }
  console.error('it was not killed');
}
