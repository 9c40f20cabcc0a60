import { credentialsOf } from '../../lib/pawl/aws/credentials.ts';
import { type Http, type HttpResult, nodeHttp } from '../../lib/pawl/aws/http.ts';
import { signedRequests } from '../../lib/pawl/aws/signed-requests.ts';
import { nodeHost } from '../../lib/pawl/host.ts';
import type { Host } from '../../lib/pawl/kernel/host.ts';
import { dynamodb, leanTransport } from '../../lib/pawl/stores/dynamodb/lean/lean-transport.ts';
import type { DynamoTransport } from '../../lib/pawl/stores/dynamodb/transport.ts';

const local = { accessKeyId: 'local', secretAccessKey: 'local' };

/** A lean transport to an endpoint over a way of the test's own. */
export function leanOver(endpoint: string, http: Http, host: Host = nodeHost): DynamoTransport {
  const place = { endpoint: new URL(endpoint), region: 'us-east-1' };
  const credentials = credentialsOf(local, { host, env: () => ({}) });
  const send = signedRequests({ service: dynamodb, host, http, place, credentials });
  return leanTransport(send, host, () => place.region);
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
