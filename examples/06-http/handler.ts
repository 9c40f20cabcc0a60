import { setTimeout as sleep } from 'node:timers/promises';
import { dynamoStore } from 'pawl/dynamodb';
import { type HttpEvent, onceOverHttp } from 'pawl/http';

let refunds = 0;

/** The Lambda function behind `POST /refunds`. Its clients send the header `Idempotency-Key`. */
export const handler = onceOverHttp(
  {
    operation: 'refund',
    store: dynamoStore({ tableName: process.env.CLAIMS_TABLE }),
    caller: (event: HttpEvent) => event.headers?.['x-account'] ?? undefined,
    onAbandoned: 'retry',
  },
  async (event) => {
    await sleep(1_000);
    refunds += 1;
    const body = JSON.stringify({ refund: refunds, ...JSON.parse(event.body ?? '') });
    return { statusCode: 201, headers: { 'content-type': 'application/json' }, body };
  },
);
