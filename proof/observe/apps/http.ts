import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { bodyField, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { isObserved, ship, watching } from './order.ts';

/** A function behind an HTTP API, whose clients try again. */

async function plain({ body }: APIGatewayProxyEventV2) {
  const orderId = await ship(JSON.parse(body ?? ''));
  return { statusCode: 201, headers: { 'x-order': orderId }, body: JSON.stringify({ shipped: orderId }) };
}

const observed = onceOverHttp(
  { ...watching('http'), caller: 'anyone', key: bodyField('orderId') },
  (event: APIGatewayProxyEventV2) => plain(event),
);

export const handler = isObserved ? observed : plain;
