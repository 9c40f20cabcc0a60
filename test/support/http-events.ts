import type { HttpEvent } from '../../lib/pawl/http/index.ts';

/** A request, before any service has made an event of it. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

const defaults: Required<Sent> = { method: 'POST', path: '/refunds', query: '', headers: {}, body: undefined };

function bodyOf({ body }: Sent): Pick<HttpEvent, 'body' | 'isBase64Encoded'> {
  if (body instanceof Uint8Array) return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  return { body: body ?? null, isBase64Encoded: false };
}

const lists = (pairs: Iterable<[string, string]>) => Object.fromEntries(Array.from(pairs, ([name, v]) => [name, [v]]));
const title = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** Payload 2.0 of an HTTP API: lower-case names, repeated headers joined. */
export function apiGatewayV2(sent: Sent) {
  const { method, path, query, headers } = { ...defaults, ...sent };
  return {
    version: '2.0' as const,
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    requestContext: { accountId: '000000000000', apiId: 'api', http: { method, path, sourceIp: '127.0.0.1' } },
    ...bodyOf(sent),
  };
}

/** A function URL has the same payload, and no stage. */
function functionUrl(sent: Sent) {
  const event = apiGatewayV2(sent);
  return { ...event, requestContext: { ...event.requestContext, domainName: 'x.lambda-url.us-east-1.on.aws' } };
}

/** Payload 1.0 of a REST API: the names as they were sent, once with the last value and once with all. */
export function apiGatewayV1(sent: Sent) {
  const { method, path, query, headers } = { ...defaults, ...sent };
  const named = Object.entries(headers).map(([name, value]): [string, string] => [title(name), value]);
  return {
    resource: '/{proxy+}',
    httpMethod: method,
    path,
    headers: Object.fromEntries(named),
    multiValueHeaders: lists(named),
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    multiValueQueryStringParameters: lists(new URLSearchParams(query)),
    requestContext: { stage: 'prod' },
    ...bodyOf(sent),
  };
}

const elb = { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup/t/1' } };

export function loadBalancer(sent: Sent) {
  const { method, path, query, headers } = { ...defaults, ...sent };
  return {
    httpMethod: method,
    path,
    headers: { ...headers },
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    requestContext: elb,
    ...bodyOf(sent),
  };
}

/** A load balancer whose target group has multi-value headers turned on. */
function multiValueLoadBalancer(sent: Sent) {
  const { method, path, query, headers } = { ...defaults, ...sent };
  return {
    httpMethod: method,
    path,
    multiValueHeaders: lists(Object.entries(headers)),
    multiValueQueryStringParameters: lists(new URLSearchParams(query)),
    requestContext: elb,
    ...bodyOf(sent),
  };
}

/** One request in the form of each service. */
export const services: Readonly<Record<string, (sent: Sent) => HttpEvent>> = {
  'API Gateway, payload 1.0': apiGatewayV1,
  'API Gateway, payload 2.0': apiGatewayV2,
  'a function URL': functionUrl,
  'a load balancer': loadBalancer,
  'a load balancer with multi-value headers': multiValueLoadBalancer,
};
