import { crc32 } from 'node:zlib';
import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { credentialsOf } from '../../../lib/aws/credentials.ts';
import type { Http, HttpResult, HttpTry } from '../../../lib/aws/http.ts';
import { signedRequests } from '../../../lib/aws/signed-requests.ts';
import { dynamodb, leanTransport } from '../../../lib/stores/dynamodb/lean/lean-transport.ts';
import type { DynamoTransport } from '../../../lib/stores/dynamodb/transport.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import { named, type Trouble } from '../network.ts';
import { worldBegins } from '../world/world.ts';
import type { HttpTroubles } from './http-troubles.ts';
import { conflictOf, type Surroundings, serviceFor } from './service.ts';
import type { SimulatedTable } from './table.ts';

/**
 * The lean transport of a sandbox as it is, over a simulated network: signed requests go out, and responses of HTTP come back, or do not. What the SDK would
 * do between the two, the transport does by itself.
 */
export function leanClient(
  surroundings: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
  troubles: HttpTroubles,
): DynamoTransport {
  const { world, oracle } = surroundings;
  const valid = () => Math.floor(world.time / troubles.credentialsMs);
  const credentials = credentialsOf(
    async () => ({
      accessKeyId: 'simulated',
      secretAccessKey: 'simulated',
      sessionToken: `token-${valid()}`,
      ...(troubles.saysEnd && {
        expiration: new Date(Math.min(8.64e15, sandbox.clock() + (valid() + 1) * troubles.credentialsMs - world.time)),
      }),
    }),
    { host: sandbox.host, env: () => ({}) },
  );
  const region = 'eu-west-1';
  const send = signedRequests({
    service: dynamodb,
    host: sandbox.host,
    http: simulatedHttp(surroundings, sandbox, table, troubles),
    place: { endpoint: new URL(`https://dynamodb.${region}.amazonaws.com`), region },
    credentials,
  });
  const transport = leanTransport(send, sandbox.host, () => region);
  return {
    ...transport,
    async call(operation, input) {
      oracle.sending?.(sandbox, input);
      try {
        const value = await transport.call(operation, input);
        oracle.heard(sandbox, input, { value });
        return value;
      } catch (error) {
        oracle.heard(sandbox, input, { error });
        throw error;
      }
    },
  };
}

/** What the service says when one of the items is in another transaction. */
function conflictWith(command: string, { body }: HttpTry): Error {
  const isTransaction = command === 'TransactWriteItemsCommand';
  return isTransaction
    ? conflictOf(JSON.parse(body) as TransactWriteItemsCommandInput)
    : named('TransactionConflictException');
}

/** How a response is lost. */
type Ending = 'reset' | 'cut' | 'checksum' | 'silence';

const losses: readonly [Ending, ...Ending[]] = ['reset', 'cut', 'checksum', 'silence'];

function simulatedHttp(
  surroundings: Surroundings,
  sandbox: Sandbox,
  table: SimulatedTable<Sandbox>,
  { idleClosed, clockMs, credentialsMs }: HttpTroubles,
): Http {
  const { world } = surroundings;
  const { random, note } = world;
  const { serve, trouble } = serviceFor(surroundings, sandbox, table);
  /** What a transaction with this token was answered with. */
  const applied = new Map<string, object>();

  /** Carries a request out in the service. */
  function answer(command: string, { body }: HttpTry): HttpResult {
    const input = JSON.parse(body) as TransactWriteItemsCommandInput;
    const token = input.ClientRequestToken;
    try {
      const said = (token !== undefined && applied.get(token)) || (serve(command, input) as object);
      if (token !== undefined) applied.set(token, said);
      return responseOf(200, said);
    } catch (error) {
      return responseTo(error);
    }
  }

  function responseOf(status: number, said: object): HttpResult {
    const body = Buffer.from(JSON.stringify(said));
    const date = new Date(worldBegins + world.time + clockMs).toUTCString();
    return { kind: 'response', status, headers: { date, crc32: String(crc32(body)) }, body };
  }

  function responseTo(error: unknown, status = 400): HttpResult {
    const { name, message, ...facts } = error as Error;
    return responseOf(status, { ...facts, __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });
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
