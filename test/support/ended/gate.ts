import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type HttpServer, readBody, startHttpServer } from '../../../lib/rehearsal/engine/http.ts';

/** What the gate does with one request. `refuse`: answers like a service that throttles, and does not pass it on. */
type Passage = 'pass' | 'refuse';

export interface GateHooks {
  /** Before the request is passed on. @param index which one it is, from 0 */
  readonly before: (index: number) => Promise<Passage>;
  /** After the service has answered, and before the client hears of it. */
  readonly after: (index: number) => Promise<void>;
}

export interface Gate extends HttpServer {
  /** The requests so far, by their names. */
  readonly requests: readonly string[];
}

/** Who calls, as STS says it: the person whose name the access key is. */
function identityOf(authorization = ''): string {
  const [, person = ''] = /Credential=([^/]+)\//.exec(authorization) ?? [];
  const arn = `arn:aws:sts::123456789012:assumed-role/Operators/${person}`;
  return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arn}</Arn><UserId>x</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
}

const throttled =
  '<ErrorResponse><Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>';

/** The one way to DynamoDB and SQS, and to STS, which it is itself. It counts the requests: what happens at the third one happens there, however fast the machine is. */
export async function startGate(
  { dynamo, sqs }: { readonly dynamo: string; readonly sqs: string },
  { before, after }: GateHooks,
): Promise<Gate> {
  const requests: string[] = [];
  const server = await startHttpServer(async (request, response) => {
    const body = await readBody(request);
    // STS is asked in an older way, without a target.
    const target = String(request.headers['x-amz-target'] ?? 'STS.GetCallerIdentity');
    const index = requests.push(target.replace(/^.*\./, '')) - 1;
    const isSqs = target.startsWith('AmazonSQS.');
    const passage = await before(index);
    if (target.startsWith('STS.')) {
      response.writeHead(passage === 'pass' ? 200 : 400, { 'content-type': 'text/xml' });
      await after(index);
      if (!response.destroyed) response.end(passage === 'pass' ? identityOf(request.headers.authorization) : throttled);
      return;
    }
    if (passage === 'refuse') {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      const type = isSqs ? 'com.amazonaws.sqs#RequestThrottled' : 'ProvisionedThroughputExceededException';
      response.end(JSON.stringify({ __type: type, message: 'Rate of requests exceeds the allowed throughput.' }));
      return;
    }
    const served = await forward(isSqs ? sqs : dynamo, request, body);
    await after(index);
    if (response.destroyed) return;
    response.writeHead(served.status, served.headers);
    response.end(served.body);
  });
  return { ...server, requests };
}

async function forward(endpoint: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host: _, connection: __, ...passed } = headers;
  return await new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const sent = httpRequest(`${endpoint}${url}`, { method, headers: passed }, (answer) => {
      readBody(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: text }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
