import middy from '@middy/core';
import type {
  ALBHandler,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  APIGatewayProxyHandlerV2WithJWTAuthorizer,
  APIGatewayProxyHandlerV2WithLambdaAuthorizer,
  APIGatewayProxyResult,
  APIGatewayProxyResultV2,
  APIGatewayProxyStructuredResultV2,
  APIGatewayProxyWithCognitoAuthorizerHandler,
  Callback,
  Context,
  LambdaFunctionURLHandler,
} from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { claimOf, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { memoryStore, OptionError } from '../../../lib/pawl/index.ts';
import { httpApi, loadBalancer, restApi } from '../../fixtures/aws-events.ts';
import { context } from '../../support/lambda.ts';

/*
 * A handler with a type of `@types/aws-lambda` goes in, and what comes out has the same type: that is judged when this file is compiled. Nothing is cast.
 */

const options = () => ({ operation: 'refund', store: memoryStore(), caller: 'anyone', onAbandoned: 'park' }) as const;

const overHttpApi: APIGatewayProxyHandlerV2 = async ({ rawPath }) => ({ statusCode: 201, body: rawPath });
const overRestApi: APIGatewayProxyHandler = async ({ path }) => ({ statusCode: 201, body: path });
const overLoadBalancer: ALBHandler = async ({ path }) => ({ statusCode: 201, body: path });
const overUrl: LambdaFunctionURLHandler = async ({ rawPath }) => ({ statusCode: 201, body: rawPath });
const structured: APIGatewayProxyHandlerV2<{ readonly id: string }> = async ({ rawPath }) => ({ id: rawPath });
const withToken: APIGatewayProxyHandlerV2WithJWTAuthorizer = async ({ rawPath }) => ({
  statusCode: 201,
  body: rawPath,
});
const withAuthorizer: APIGatewayProxyHandlerV2WithLambdaAuthorizer<{ readonly account: string }> = async (event) => ({
  statusCode: 201,
  body: event.requestContext.authorizer.lambda.account,
});
const withCognito: APIGatewayProxyWithCognitoAuthorizerHandler = async ({ path }) => ({ statusCode: 201, body: path });

/** Each is wrapped, and is of the type that it was. */
const wrapped: {
  readonly overHttpApi: APIGatewayProxyHandlerV2;
  readonly overRestApi: APIGatewayProxyHandler;
  readonly overLoadBalancer: ALBHandler;
  readonly overUrl: LambdaFunctionURLHandler;
  readonly structured: APIGatewayProxyHandlerV2<{ readonly id: string } | APIGatewayProxyStructuredResultV2>;
  readonly withToken: APIGatewayProxyHandlerV2WithJWTAuthorizer;
  readonly withAuthorizer: APIGatewayProxyHandlerV2WithLambdaAuthorizer<{ readonly account: string }>;
  readonly withCognito: APIGatewayProxyWithCognitoAuthorizerHandler;
} = {
  overHttpApi: onceOverHttp(options(), overHttpApi),
  overRestApi: onceOverHttp(options(), overRestApi),
  overLoadBalancer: onceOverHttp(options(), overLoadBalancer),
  overUrl: onceOverHttp(options(), overUrl),
  structured: onceOverHttp(options(), structured),
  // The options read the event that the handler has.
  withToken: onceOverHttp(
    { ...options(), caller: (event) => String(event.requestContext.authorizer.jwt.claims['sub']) },
    withToken,
  ),
  withAuthorizer: onceOverHttp(
    { ...options(), caller: (event) => event.requestContext.authorizer.lambda.account },
    withAuthorizer,
  ),
  withCognito: onceOverHttp(
    { ...options(), caller: (event) => event.requestContext.authorizer.claims['sub'], required: false },
    withCognito,
  ),
};

/** With the claim, and types for what comes in and goes out. */
const claimed: {
  readonly overHttpApi: APIGatewayProxyHandlerV2;
  readonly overRestApi: APIGatewayProxyHandler;
  readonly overLoadBalancer: ALBHandler;
} = {
  overHttpApi: onceOverHttp(options(), async (_: APIGatewayProxyEventV2, __: Context, claim) => ({
    statusCode: 201,
    body: claim.effectKey,
  })),
  overRestApi: onceOverHttp(
    options(),
    async (_: APIGatewayProxyEvent, __: Context, claim): Promise<APIGatewayProxyResult> => ({
      statusCode: 201,
      body: claim.effectKey,
    }),
  ),
  overLoadBalancer: onceOverHttp(
    options(),
    async (_: Parameters<ALBHandler>[0], __: Context, claim): Promise<ALBResult> => ({
      statusCode: 201,
      body: claim.effectKey,
    }),
  ),
};

/** Middy hands the handler an event and a context; its own types say what it is then. */
const byMiddy = middy(
  async (_: APIGatewayProxyEventV2, given: Context): Promise<APIGatewayProxyResultV2> => ({
    statusCode: 201,
    body: String(claimOf(given)?.key),
  }),
  { timeoutEarlyInMillis: 0 },
).use(httpOnce(options()));
const throughMiddy: (event: APIGatewayProxyEventV2, given: Context) => Promise<unknown> = (event, given) =>
  byMiddy(event, given);

/** Misspelt, or of another event: the compiler says so. */
function refusedByTheCompiler() {
  // @ts-expect-error: a caller that reads what this event has not
  onceOverHttp({ ...options(), caller: (event) => event.requestContext.authorizer.jwt.claims['sub'] }, overHttpApi);
  // @ts-expect-error: a handler of queues
  onceOverHttp(options(), async (event: { readonly Records: readonly object[] }) => event.Records.length);
  // @ts-expect-error: what it wraps for payload 2.0 is no handler of a load balancer
  const other: ALBHandler = onceOverHttp(options(), overHttpApi);
  return other;
}

const noCallback: Callback = () => {
  throw new Error('nothing calls back');
};

describe('a handler with a published type', () => {
  const keyed = { 'idempotency-key': '"k-1"' };
  const lambda = () => context() as Context;

  it('is called with its event, and its response is replayed', async () => {
    const event = { ...httpApi, headers: { ...httpApi.headers, ...keyed } };
    const first = await wrapped.overHttpApi(event, lambda(), noCallback);
    expect(first).toMatchObject({ statusCode: 201, body: httpApi.rawPath });
    const again = await wrapped.overHttpApi(event, lambda(), noCallback);
    expect(again).toMatchObject({ statusCode: 201, headers: { 'Idempotency-Replayed': 'true' } });
  });

  it('answers in the form of its service', async () => {
    const rest = { ...restApi, headers: keyed, multiValueHeaders: { 'idempotency-key': ['"k-1"'] } };
    expect(await wrapped.overRestApi(rest, lambda(), noCallback)).toMatchObject({ statusCode: 201 });
    const balanced = { ...loadBalancer, headers: { ...loadBalancer.headers, ...keyed } };
    expect(await wrapped.overLoadBalancer(balanced, lambda(), noCallback)).toMatchObject({ statusCode: 201 });
  });

  it('with a claim is one as well, behind Middy too', async () => {
    const event = { ...httpApi, headers: { ...httpApi.headers, ...keyed } };
    expect(await claimed.overHttpApi(event, lambda(), noCallback)).toMatchObject({ statusCode: 201 });
    expect(await throughMiddy(event, lambda())).toMatchObject({ statusCode: 201, body: 'k-1' });
    expect(refusedByTheCompiler).toBeTypeOf('function');
  });

  it('that would call back does not complete its claim: its effect has not happened when it returns', async () => {
    const calling: APIGatewayProxyHandlerV2 = (_, __, callback) => {
      setTimeout(() => callback, 0);
    };
    const given = options();
    const event = { ...httpApi, headers: { ...httpApi.headers, ...keyed } };
    const silent = { ...given, onEvent: () => undefined };
    await expect(onceOverHttp(silent, calling)(event, lambda())).rejects.toThrow(/returned nothing.* Make it async/);
    expect(given.store.records()).toMatchObject([{ status: 'parked' }]);
    expect(() => onceOverHttp(given, undefined as never)).toThrow(OptionError);
  });
});
