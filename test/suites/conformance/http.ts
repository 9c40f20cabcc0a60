import { gunzipSync } from 'node:zlib';
import { type HttpOptions, httpOnce, onceOverHttp } from '../../../lib/pawl/http/index.ts';
import { RetryableError } from '../../../lib/pawl/kernel/errors.ts';
import type { InvocationContext } from '../../../lib/pawl/sqs/index.ts';
import type {
  CallerVerdict,
  CrashSweepOptions,
  SweptHandler,
  SweptMessage,
  World,
} from '../../../lib/testing/index.ts';
import { httpApi } from '../../fixtures/aws-events.ts';
import { type AnyMiddleware, loadCore, loadRouter, loadStack, swept, type Told, type Wrap } from './middlewares.ts';
import { hidesReasons, type Position, type Tried } from './table.ts';

export type Event = ReturnType<typeof eventOf>;
type Api = (event: Event, context: InvocationContext) => Promise<unknown>;
type Handler = (event: Event) => Promise<unknown>;

const noEarlyTimeout = { timeoutEarlyInMillis: 0 };

interface Payment {
  readonly payment: string;
}

const paymentOf = (payment: string): SweptMessage => ({ body: { payment } });

/**
 * A client asks until it is answered with 201, always with the same key. Two ask for the first payment, so its key is held elsewhere. The last
 * payment is refused once, and fails once before it is made.
 */
const requests = [paymentOf('p-1'), paymentOf('p-1'), paymentOf('p-2'), paymentOf('p-3')];

/** A provider that pays whatever it is asked to. */
const bank = () => ({ paid: [] as string[], refused: false, failed: false, told: {} as Told });
type Bank = ReturnType<typeof bank>;

/** What a row's middleware reads of a request, as a client would send it. */
function sentFor({ row }: Tried, payment: string): { type: string; body: string } {
  if (row.name === 'http-urlencode-body-parser') {
    return { type: 'application/x-www-form-urlencoded', body: `payment=${payment}&note=a+b` };
  }
  if (row.name === 'http-multipart-body-parser') {
    const part = `--border\r\ncontent-disposition: form-data; name="payment"\r\n\r\n${payment}\r\n--border--\r\n`;
    return { type: 'multipart/form-data; boundary=border', body: part };
  }
  return { type: 'application/json', body: JSON.stringify({ payment }) };
}

/** A request, as an HTTP API makes an event of it. The key is the payment. */
export function eventOf(tried: Tried, payment: string) {
  const { type, body } = sentFor(tried, payment);
  return {
    ...structuredClone(httpApi),
    rawPath: '/payments/p%201',
    rawQueryString: 'fields=paid,reason',
    queryStringParameters: { fields: 'paid,reason' },
    pathParameters: { id: 'p%201' },
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'content-type': type,
      'idempotency-key': `"${payment}"`,
      origin: 'https://shop.example.com',
    },
    body,
  };
}

/** Middy's handler and its stack with pawl in its place. */
export async function buildApi(tried: Tried) {
  const middy = await loadCore(tried.core);
  const isRouter = tried.row.name === 'http-router';
  const theirs = isRouter ? () => [] : await loadStack(tried);
  const router = isRouter ? await loadRouter(tried) : undefined;

  return (options: HttpOptions<Event>, handler: Handler, wrap: Wrap = (stack) => stack, told: Told = {}): Api => {
    const stack = wrap(theirs(told));
    const ours = httpOnce(options) as AnyMiddleware;
    const use = (inner: unknown, all: readonly AnyMiddleware[]) =>
      middy(inner as never, noEarlyTimeout).use([...all]) as unknown as Api;
    /** The handler of the only route, where there is a router. */
    const routed = (inner: unknown) =>
      router === undefined ? inner : router([{ method: 'POST', path: '/payments/{id}', handler: inner }]);

    const wired: Readonly<Record<Position, () => Api>> = {
      outside: () => use(routed(handler), [...stack, ours]),
      inside: () => (router === undefined ? use(handler, [ours, ...stack]) : use(routed(use(handler, [ours])), [])),
      around: () => use(routed(onceOverHttp(options, handler)), stack),
      whole: () => onceOverHttp(options, use(routed(handler), stack)),
    };
    return wired[tried.position]();
  };
}

export const optionsOf = (
  world: Pick<World['options'], 'store' | 'onEvent'> & Partial<World['options']>,
): HttpOptions<Event> => ({
  ...world,
  operation: 'pay',
  caller: 'anyone',
  onAbandoned: 'park',
});

/** The response of the author's handler: long enough to be worth compressing; an object where something else makes a text of it. */
export function paidResponse({ row }: Tried, payment: string) {
  const body = { paid: payment, receipt: 'thank you '.repeat(50) };
  return { statusCode: 201, body: row.name === 'http-response-serializer' ? body : JSON.stringify(body) };
}

/** Which payment a handler is asked for. What an envelope held is all that a handler behind it is given. */
const askedOf = (given: Event | Payment): string =>
  'payment' in given ? given.payment : given.headers['idempotency-key'].slice(1, -1);

/** The sweep of one cell: what it runs is the author's handler, other people's middleware and pawl. */
export async function httpSweep(tried: Tried): Promise<CrashSweepOptions<Bank>> {
  const build = await buildApi(tried);
  return {
    messages: requests,
    provider: bank,
    handler: (world, provider) => {
      async function pay(event: Event) {
        const payment = askedOf(event);
        if (payment === 'p-3' && !provider.refused) {
          provider.refused = true;
          return { statusCode: 429, body: '' };
        }
        if (payment === 'p-3' && !provider.failed) {
          provider.failed = true;
          throw new RetryableError('the bank is busy');
        }
        await world.io('bank.pay', () => provider.paid.push(payment));
        return paidResponse(tried, payment);
      }
      return build(optionsOf(world.options), pay, (stack) => swept(world, stack), provider.told) as SweptHandler;
    },
    callers: {
      event: ({ body }) => eventOf(tried, (body as Payment).payment),
      understands: (answer) => understood(answer as Answer),
    },
    effects: ({ paid }, { body }) => paid.filter((payment) => payment === (body as Payment).payment).length,
    // Where the middleware hides what was thrown, it is in doubt: the last payment waits for a person.
    expected: (_, { body }) => (hidesReasons(tried) && (body as Payment).payment === 'p-3' ? 'dead-letter' : 1),
  };
}

interface Answer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** A response's body, as its client reads it. */
export function textOf({ headers, body, isBase64Encoded }: Answer): string {
  const bytes = Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8');
  const encoded = Object.entries(headers ?? {}).some(([name]) => name.toLowerCase() === 'content-encoding');
  return String(encoded ? gunzipSync(bytes) : bytes);
}

function understood(answer: Answer): CallerVerdict {
  if (answer.statusCode === 201) return 'done';
  return answer.statusCode === 409 && JSON.parse(textOf(answer)).reason === 'parked' ? 'parked' : 'again';
}
