import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import {
  type Claim,
  claimOf,
  type HttpEvent,
  type HttpOptions,
  httpOnce,
  onceOverHttp,
} from '../../lib/pawl/http/index.ts';
import { context } from './lambda.ts';

export type Effect = (event: HttpEvent, claim: Claim) => unknown;
export type Api = (event: HttpEvent) => Promise<unknown>;

/** The same API behind both doors, in invocations of 20 seconds by the clock of its host. */
export const doors: Readonly<Record<string, (options: HttpOptions<HttpEvent>, effect: Effect) => Api>> = {
  onceOverHttp(options, effect) {
    const wrapped = onceOverHttp(
      options as HttpOptions<HttpEvent> & { readonly required?: true },
      (event, _: ReturnType<typeof context>, claim) => effect(event, claim),
    );
    return (event) => wrapped(event, context(20_000, options.host?.now));
  },
  httpOnce(options, effect) {
    async function handler(event: HttpEvent, lambda: Context) {
      const claim = claimOf(lambda);
      if (claim === undefined) throw new Error('there is no claim');
      return effect(event, claim);
    }
    const wrapped = middy(handler, { timeoutEarlyInMillis: 0 }).use(httpOnce(options));
    return (event) => wrapped(event, context(20_000, options.host?.now) as Context) as Promise<unknown>;
  },
};
