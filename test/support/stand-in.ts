import { createHash } from 'node:crypto';
import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import { type HttpServer, readBody, startHttpServer } from '../../lib/rehearsal/engine/http.ts';

/** A request as AWS gets it: the operation of a JSON protocol, the action of a query, or the path of a REST API. */
export interface StandInCall {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StandInAnswer {
  readonly status?: number;
  /** The name of the exception, if it is one. */
  readonly error?: string;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
}

/** A service of AWS on 127.0.0.1 that says what a test wants. What it has no answer for goes on to `behind`. */
export async function startStandIn(
  answer: (call: StandInCall) => StandInAnswer | undefined | Promise<StandInAnswer | undefined>,
  behind?: string,
): Promise<HttpServer> {
  return startHttpServer((request, response) => {
    void (async () => {
      const text = (await readBody(request)).toString('utf8');
      const target = request.headers['x-amz-target'];
      const query = new URLSearchParams(text);
      const operation =
        typeof target === 'string'
          ? target.replace(/^.*\./, '')
          : (query.get('Action') ?? `${request.method} ${request.url}`);
      const isJson = text.startsWith('{');
      const given = await answer({ operation, body: isJson ? record(JSON.parse(text)) : Object.fromEntries(query) });
      if (given === undefined && behind !== undefined) {
        const headers = { 'x-amz-target': String(target), 'content-type': 'application/x-amz-json-1.0' };
        const authorization = String(request.headers.authorization);
        const real = await fetch(behind, { method: 'POST', headers: { ...headers, authorization }, body: text });
        response.writeHead(real.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await real.text());
        return;
      }
      const { status = given?.error === undefined ? 200 : 400, error, body = {} } = given ?? { error: 'NotFound' };
      const said =
        typeof body === 'string'
          ? body
          : JSON.stringify(error === undefined ? body : { __type: error, message: error, ...record(body) });
      response
        .writeHead(status, {
          'content-type': typeof body === 'string' ? 'text/xml' : 'application/x-amz-json-1.0',
          ...(error === undefined ? {} : { 'x-amzn-errortype': error }),
        })
        .end(said);
    })();
  });
}

/** What SQS says to a message or a batch of them. The client compares the digests. */
export function sqsAnswer({ operation, body }: StandInCall): StandInAnswer | undefined {
  const md5 = (text: unknown) => createHash('md5').update(String(text)).digest('hex');
  if (operation === 'SendMessage') return { body: { MessageId: 'sent-1', MD5OfMessageBody: md5(body['MessageBody']) } };
  if (operation !== 'SendMessageBatch') return undefined;
  const Successful = list(body['Entries']).map((entry) => ({
    Id: record(entry)['Id'],
    MessageId: `sent-${record(entry)['Id']}`,
    MD5OfMessageBody: md5(record(entry)['MessageBody']),
  }));
  return { body: { Successful, Failed: [] } };
}
