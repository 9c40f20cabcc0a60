import { crc32 } from 'node:zlib';
import { type Credentials, credentialsOf } from '../../lib/pawl/aws/credentials.ts';
import type { Http, HttpResult, HttpTry } from '../../lib/pawl/aws/http.ts';
import type { HttpTroubles } from './dynamodb/http-troubles.ts';
import type { Sandbox } from './lambda/sandbox.ts';
import { named, type Trouble } from './network.ts';
import { type World, worldBegins } from './world/world.ts';

/** A service that the lean transports ask, at the level of HTTP. */
export interface SimulatedService {
  /** Draws what happens to the next try. */
  readonly trouble: (command: string) => Trouble | undefined;
  /** Carries a request out. @throws what the service says */
  readonly serve: (command: string, input: object) => object;
  /** What the service says when one of the items is in another transaction. */
  readonly conflictWith: (command: string, request: HttpTry) => Error;
  /** SQS sends no checksum. */
  readonly hasChecksum: boolean;
}

/** What a process signs with: good for a time, and then AWS refuses it. */
export function simulatedCredentials(
  world: World,
  sandbox: Sandbox,
  { credentialsMs, saysEnd }: HttpTroubles,
): Credentials {
  const valid = () => Math.floor(world.time / credentialsMs);
  return credentialsOf(
    async () => ({
      accessKeyId: 'simulated',
      secretAccessKey: 'simulated',
      sessionToken: `token-${valid()}`,
      ...(saysEnd && {
        expiration: new Date(Math.min(8.64e15, sandbox.clock() + (valid() + 1) * credentialsMs - world.time)),
      }),
    }),
    { host: sandbox.host, env: () => ({}) },
  );
}

/** How a response is lost. */
type Ending = 'reset' | 'cut' | 'checksum' | 'silence';

const losses: readonly [Ending, ...Ending[]] = ['reset', 'cut', 'checksum', 'silence'];

/** The way of signed requests to a service: responses of HTTP come back, or do not. What the SDK would do between the two, the transport does by itself. */
export function simulatedHttp(
  world: World,
  sandbox: Sandbox,
  { serve, trouble, conflictWith, hasChecksum }: SimulatedService,
  { idleClosed, clockMs, credentialsMs }: HttpTroubles,
): Http {
  const { random, note } = world;
  /** What a transaction with this token was answered with. */
  const applied = new Map<string, object>();

  /** Carries a request out in the service. */
  function answer(command: string, { body }: HttpTry): HttpResult {
    const input = JSON.parse(body) as { readonly ClientRequestToken?: string };
    const token = input.ClientRequestToken;
    try {
      const said = (token !== undefined && applied.get(token)) || serve(command, input);
      if (token !== undefined) applied.set(token, said);
      return responseOf(200, said);
    } catch (error) {
      return responseTo(error);
    }
  }

  function responseOf(status: number, said: object): HttpResult {
    const body = Buffer.from(JSON.stringify(said));
    const date = new Date(worldBegins + world.time + clockMs).toUTCString();
    return { kind: 'response', status, headers: { date, ...(hasChecksum && { crc32: String(crc32(body)) }) }, body };
  }

  function responseTo(error: unknown, status = 400): HttpResult {
    const { name, message, ...facts } = error as Error;
    return responseOf(status, { ...facts, __type: `com.amazonaws.simulated#${name}`, message });
  }

  /** What DynamoDB looks at before it looks at the request. */
  function unsigned({ headers }: HttpTry): HttpResult | undefined {
    const signedAt = String(headers['X-Amz-Date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    const isOff = Math.abs(Date.parse(signedAt) - (worldBegins + world.time + clockMs)) > 5 * 60_000;
    if (isOff) return responseTo(named('InvalidSignatureException'));
    const isValid = headers['X-Amz-Security-Token'] === `token-${Math.floor(world.time / credentialsMs)}`;
    return isValid ? undefined : responseTo(named('ExpiredTokenException'));
  }

  function send(request: HttpTry, done: (result: HttpResult) => void): () => void {
    const command = `${String(request.headers['X-Amz-Target']).replace(/^.*\./, '')}Command`;
    let settle: ((result: HttpResult) => void) | undefined;
    let isGivenUp = false;
    const result = sandbox.call<HttpResult>(({ resolve }) => {
      settle = resolve;
      if (isGivenUp) return resolve(reset);
      travel(command, request, (arrived) => sandbox.deliver(() => resolve(arrived)));
    });
    void result.then((arrived) => {
      if (!isGivenUp) done(arrived);
    });
    return () => {
      isGivenUp = true;
      settle?.(reset);
    };
  }

  function travel(command: string, request: HttpTry, arrive: (result: HttpResult) => void): void {
    const outMs = random.between(1, 15);
    const backMs = random.between(1, 15);
    if (random.chance(idleClosed)) {
      note(sandbox.name, command, 'idle-closed');
      world.after(outMs, () => arrive(resetWhileIdle));
      return;
    }
    const what = trouble(command);
    note(sandbox.name, command, what);
    const refused = unsigned(request);
    world.after(whenItArrives(what, outMs), () => {
      const response = refused ?? meet(what, command, request);
      if (response !== undefined) world.after(backMs, () => arrive(response));
    });
  }

  function whenItArrives(what: Trouble | undefined, outMs: number): number {
    return what === 'request-late' ? random.between(100, 12_000) : outMs;
  }

  /** @returns how the try ends for its sender; nothing, if it hears nothing any more */
  function meet(what: Trouble | undefined, command: string, request: HttpTry): HttpResult | undefined {
    switch (what) {
      case 'throttled':
        return random.chance(0.5)
          ? responseTo(named('ThrottlingException'))
          : responseTo(named('TooManyRequestsException'), 429);
      case 'conflict':
        return responseTo(conflictWith(command, request));
      case 'failed':
        return responseTo(named('InternalServerError'), random.pick([500, 503]));
      case 'failed-applied':
        answer(command, request);
        return responseTo(named('InternalServerError'), 500);
      case 'answer-lost':
        return damaged(answer(command, request), random.pick(losses));
      case 'request-late':
        answer(command, request);
        return undefined;
      case 'request-lost':
        return random.chance(0.5) ? reset : undefined;
      default:
        return answer(command, request);
    }
  }

  return { send, dropIdle() {}, destroy() {} };
}

const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const reset: HttpResult = { kind: 'failed', error, wasIdle: false };
const resetWhileIdle: HttpResult = { kind: 'failed', error, wasIdle: true };

/** A response that does not come back as it left. */
function damaged(response: HttpResult, ending: Ending): HttpResult | undefined {
  if (ending === 'silence') return undefined;
  if (response.kind === 'failed' || ending === 'reset') return reset;
  const { body, headers } = response;
  if (ending === 'checksum') return { ...response, headers: { ...headers, crc32: '1' } };
  // A proxy that cut it, and made the length fit. Without its checksum, only its text can tell.
  const cut = body.subarray(0, Math.max(1, body.length >> 1));
  return { ...response, headers: { date: headers.date }, body: cut };
}
