import type { HttpResult } from './http.ts';

/** A service of AWS that pawl asks over its JSON protocol, without the AWS SDK. */
export interface Service {
  /** For messages. */
  readonly title: string;
  /** How its endpoint begins, and what a signature is for. */
  readonly name: 'dynamodb' | 'sqs';
  /** Stands before the operation in the header `X-Amz-Target`. */
  readonly target: string;
  /** As often as the SDK's client sends a request. */
  readonly mostTries: number;
  /** The text of a success, as an object. @default as JSON */
  readonly readValue?: (text: string) => unknown;
  /** The text of a response that is no success, as an object. @default as JSON */
  readonly readError?: (text: string) => unknown;
  /** What an error has beside its name and its message, by the names of the SDK. */
  readonly factsOf?: (said: object, headers: ErrorHeaders) => object;
}

/** The headers of a response that may say more about an error. */
export type ErrorHeaders = Extract<HttpResult, { readonly kind: 'response' }>['headers'];
