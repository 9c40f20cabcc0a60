import { type HttpServer, readBody, startHttpServer } from '../http.ts';

/** A request of a function to a service of AWS that a rehearsal does not have. */
export interface RefusedCall {
  /** The service, as the signature names it: `states`. */
  readonly service: string;
  /** `StartExecution`, or the method and the path where the service has no names. */
  readonly operation: string;
  /** How often it was asked. */
  readonly count: number;
}

export interface UnknownServices {
  readonly server: HttpServer;
  refused(): readonly RefusedCall[];
}

/** Refuses every request: without this server, a function would ask AWS itself. */
export async function startUnknownServices(): Promise<UnknownServices> {
  const counts = new Map<string, RefusedCall>();
  const server = await startHttpServer((request, response) => {
    void readBody(request).then((body) => {
      const service =
        /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'unknown';
      const target = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '');
      const action = new URLSearchParams(body.toString('utf8')).get('Action');
      const operation = target || action || `${request.method} ${request.url}`;
      const id = `${service} ${operation}`;
      counts.set(id, { service, operation, count: (counts.get(id)?.count ?? 0) + 1 });
      const message = `A rehearsal has no stand-in for ${service}. Give its endpoint in \`endpoints\`.`;
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': 'NotRehearsed' });
      response.end(JSON.stringify({ __type: 'NotRehearsed', message }));
    });
  });
  return { server, refused: () => [...counts.values()] };
}
