import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { ApiGatewayV2Envelope } from '@aws-lambda-powertools/parser/envelopes/api-gatewayv2';
import { SqsEnvelope } from '@aws-lambda-powertools/parser/envelopes/sqs';
import { JSONStringified } from '@aws-lambda-powertools/parser/helpers';
import { parser } from '@aws-lambda-powertools/parser/middleware';
import { SqsRecordSchema, SqsSchema } from '@aws-lambda-powertools/parser/schemas';
import type { MiddlewareObj } from '@middy/core';
import { array, looseObject, number, object, string } from 'zod';
import type { Door, Row } from './table.ts';

const order = object({ orderId: string() });
const payment = object({ payment: string(), amountCents: number().optional() });

/** What the parser makes of an event, by the row's `used` and the door. */
const parsers: Readonly<Record<string, Partial<Record<Door, () => object>>>> = {
  'a schema of the event': { queue: () => parser({ schema: SqsSchema }) },
  'a schema of the event, with its JSON': {
    queue: () =>
      parser({
        schema: SqsSchema.extend({ Records: array(SqsRecordSchema.extend({ body: JSONStringified(order) })) }),
      }),
    http: () => parser({ schema: looseObject({ body: JSONStringified(payment) }) }),
  },
  'an envelope': {
    queue: () => parser({ schema: JSONStringified(order), envelope: SqsEnvelope }),
    http: () => parser({ schema: JSONStringified(payment), envelope: ApiGatewayV2Envelope }),
  },
};

/** The middlewares that Powertools brings for Middy. Their clients are a cold start's, as authors have them at module level. */
export async function powertoolsStack({ name, used = '' }: Row, door: Door): Promise<() => readonly MiddlewareObj[]> {
  const made: Readonly<Record<string, () => object>> = {
    logger: () => injectLambdaContext(new Logger({ logLevel: 'SILENT' }), { resetKeys: true, logEvent: true }),
    metrics: () => logMetrics(new Metrics({ namespace: 'shop' }), { captureColdStartMetric: true }),
    ...(name === 'tracer' && { tracer: await loadTracer() }),
    parser: () => parsers[used]?.[door]?.() ?? {},
  };
  return () => [made[name]?.() ?? {}];
}

/** From its import on it watches every promise of the process, which takes a quarter of the time of a sweep: all others go without it. */
async function loadTracer(): Promise<() => object> {
  const [{ Tracer }, { captureLambdaHandler }] = await Promise.all([
    import('@aws-lambda-powertools/tracer'),
    import('@aws-lambda-powertools/tracer/middleware'),
  ]);
  return () => captureLambdaHandler(new Tracer({ serviceName: 'shop', enabled: true }));
}
