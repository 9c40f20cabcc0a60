import type { Aws } from '../../lib/pawl/aws/aws.ts';
import { credentialsOf } from '../../lib/pawl/aws/credentials.ts';
import { type Http, type HttpResult, nodeHttp } from '../../lib/pawl/aws/http.ts';
import { dynamodb, leanDynamo } from '../../lib/pawl/aws/lean-dynamodb.ts';
import { signedRequests } from '../../lib/pawl/aws/signed-requests.ts';
import { nodeHost } from '../../lib/pawl/host.ts';
import type { Host } from '../../lib/pawl/kernel/host.ts';
import { type Lean, type LeanOptions, lean } from '../../lib/pawl/stores/dynamodb/lean.ts';

const local = { accessKeyId: 'local', secretAccessKey: 'local' };

/** The way without the SDK, to a DynamoDB and, if there are any, to queues of this machine. */
export function localLean(endpoint: string, options: LeanOptions = {}): Lean {
  return lean({ region: 'us-east-1', credentials: local, endpoints: { dynamodb: endpoint }, ...options });
}

/** The same over connections of the test's own, with nothing but DynamoDB at their end. */
export function leanOver(endpoint: string, http: Http, host: Host = nodeHost): Aws {
  const place = { endpoint: new URL(endpoint), region: 'us-east-1' };
  const credentials = credentialsOf(local, { host, env: () => ({}) });
  const send = signedRequests({ service: dynamodb, host, http, place, credentials });
  const sqs = { call: () => Promise.reject(new Error('there is no queue')) };
  return { dynamodb: leanDynamo(send, host, () => place.region), sqs };
}

/** Loses the response of every first try of a write that was applied, below the transport's own retry. */
export function losingResponses(endpoint: string): { readonly http: Http; readonly lost: () => number } {
  const real = nodeHttp(new URL(endpoint));
  const seen = new Set<string>();
  let lost = 0;

  function isToLose(body: string, result: HttpResult): boolean {
    if (result.kind === 'failed' || result.status !== 200 || seen.has(body)) return false;
    const { Responses } = JSON.parse(result.body.toString('utf8')) as { Responses?: { Error?: unknown }[] | object };
    const isRead = body.includes('"ConsistentRead"') || body.includes('"KeyConditionExpression"');
    return !isRead && !(Array.isArray(Responses) && Responses[0]?.Error);
  }

  const http: Http = {
    ...real,
    send: (request, done) =>
      real.send(request, (result) => {
        if (!isToLose(request.body, result)) return done(result);
        lost++;
        seen.add(request.body);
        const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        done({ kind: 'failed', error, wasIdle: false });
      }),
  };
  return { http, lost: () => lost };
}
