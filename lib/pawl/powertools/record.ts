import type { JSONValue } from './json.ts';

/** What a completed call left. */
interface CompletedCall {
  readonly idempotencyKey: string;
  readonly sortKey?: string | undefined;
  readonly responseData: JSONValue;
}

/**
 * What is known of a call that is completed, for a `responseHook`.
 *
 * @example
 * const responseHook: ResponseHook = (response, record) => {
 *   console.log(`a duplicate of ${record.idempotencyKey}`);
 *   return response;
 * };
 */
export class IdempotencyRecord implements CompletedCall {
  /** The id of Powertools' record of this call. With `sortKeyAttr`, the partition that it is in. */
  readonly idempotencyKey: string;
  /** With `sortKeyAttr`, the id of the record. */
  readonly sortKey: string | undefined;
  readonly responseData: JSONValue;

  constructor({ idempotencyKey, sortKey, responseData }: CompletedCall) {
    this.idempotencyKey = idempotencyKey;
    this.sortKey = sortKey;
    this.responseData = responseData;
  }

  getResponse(): JSONValue {
    return this.responseData;
  }

  getStatus(): 'COMPLETED' {
    return 'COMPLETED';
  }
}
