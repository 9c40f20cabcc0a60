import { expectOptions, type NamesOf } from 'pawl/kernel';
import { record } from '../engine/app/template.ts';
import type { ProviderCall, ProviderRoutes } from '../provider.ts';

/** A request to a provider. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON or the form of the request; `{}` if it has neither. */
  // biome-ignore lint/suspicious/noExplicitAny: a body has whatever the author's function sends
  readonly body: any;
  readonly text: string;
}

/** What a provider responds. `body` is sent as JSON. */
export interface ProviderResponse {
  readonly status: number;
  readonly body?: unknown;
  /** The media type of a body that is a text as it is, such as the XML of SNS. @default JSON */
  readonly contentType?: string;
}

/**
 * The options of `httpProvider`.
 *
 * @example
 * const options: HttpProviderOptions = {
 *   intent: ({ method, body }) => (method === 'POST' ? body.paymentId : undefined),
 *   respond: ({ method }, applied) => ({ status: method === 'POST' ? 201 : applied > 0 ? 200 : 404 }),
 * };
 */
export interface HttpProviderOptions {
  /**
   * What a request asks an effect for; `undefined` if it asks for none, as a look-up. A list if it asks for several.
   * @default the intents that its path, query or body names
   */
  readonly intent?: (request: ProviderRequest) => string | readonly string[] | undefined;
  /**
   * Where a request has its idempotency key: the name of a header, or a function. A repeated key repeats the response, and no effect.
   * @default the provider honours no keys
   */
  readonly idempotencyKey?: string | ((request: ProviderRequest) => string | undefined);
  /**
   * Makes the response. A request whose response has a status of 400 or more is refused, and has no effect.
   * @param applied how often the effect of this request happened before it
   * @default 200 with `{ "id": "…" }`; of a request that asks for no effect, 200 with `{}`
   */
  readonly respond?: (request: ProviderRequest, applied: number) => ProviderResponse;
}

/** Stands for something outside of the app, at an address of this machine, and counts the effects that it was asked for. */
export interface Provider {
  readonly kind: 'pawl.provider';
  /** @internal */
  readonly options: HttpProviderOptions;
  /** @internal */
  readonly routes?: ProviderRoutes;
  /** Every POST is an email. @internal */
  readonly mailer?: { readonly field: string | undefined };
}

const known: NamesOf<HttpProviderOptions> = { intent: true, idempotencyKey: true, respond: true };

/**
 * A provider with an HTTP API. The faults of `provider` and `kill` happen at it.
 *
 * @throws OptionError if an option is unknown
 * @example
 * const payments = httpProvider({
 *   intent: ({ method, body }) => (method === 'POST' ? body.paymentId : undefined),
 *   idempotencyKey: 'idempotency-key',
 * });
 */
export function httpProvider(options: HttpProviderOptions = {}): Provider {
  expectOptions(options, { door: 'httpProvider', known, docs: 'docs/guides/rehearsal.md' });
  return { kind: 'pawl.provider', options };
}

/**
 * A provider by rules of its own: which calls ask for an effect, which of them it refuses, and what it finds when it is asked. The subject of
 * an effect is its intent.
 */
export function routedProvider(routes: ProviderRoutes): Provider {
  return { kind: 'pawl.provider', options: {}, routes };
}

/**
 * A mailer: every POST sends an email, and every other request sends none. It also stands for SES: as `AWS_ENDPOINT_URL_SESV2` for the client
 * `@aws-sdk/client-sesv2`, and as `AWS_ENDPOINT_URL_SES` for `@aws-sdk/client-ses`. What these ask besides sending is refused by name.
 *
 * @param field where the body has the intent, such as `order.id`; of a request to SES, the name of a tag or of a field of the template's data
 * @default the intents that the request names
 * @example
 * const mail = mailer('orderId');
 * const providers = { MAILER_URL: mail };
 */
export function mailer(field?: string): Provider {
  return { kind: 'pawl.provider', options: {}, mailer: { field } };
}

export function isProvider(value: unknown): value is Provider {
  return record(value)['kind'] === 'pawl.provider';
}

/** A request as the author's functions get it. */
export function requestOf({ method, path, query, headers, body, text }: ProviderCall): ProviderRequest {
  return {
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: bodyOf(body, text, String(headers['content-type'] ?? '')),
    text,
  };
}

function bodyOf(json: unknown, text: string, type: string): unknown {
  if (json !== undefined) return json;
  return type.includes('application/x-www-form-urlencoded') ? Object.fromEntries(new URLSearchParams(text)) : {};
}

/** The text in a field of a body: `order.id`. */
export function textAt(body: unknown, path: string): string | undefined {
  let found = body;
  for (const name of path.split('.')) found = record(found)[name];
  return found === undefined || found === null ? undefined : String(found);
}
