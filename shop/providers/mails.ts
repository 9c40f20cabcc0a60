import { record } from '../../lib/rehearsal/engine/app/template.ts';
import type { ProviderRoutes } from '../../lib/rehearsal/provider.ts';

/** A stand-in for the service that mails receipts. It mails at every call, has no idempotency keys, and finds at once what it has mailed. */
export function mailRoutes(): ProviderRoutes<'receipt'> {
  const references = new Set<string>();
  return (call) => {
    const asked = /^\/receipts\/by-reference\/(.+)$/.exec(call.path)?.[1];
    if (call.method === 'GET' && asked !== undefined) {
      const isKnown = references.has(decodeURIComponent(asked));
      return { status: isKnown ? 200 : 404, body: { mailed: isKnown } };
    }
    if (call.method !== 'POST' || call.path !== '/receipts') {
      return { status: 404, body: { message: `The mail stand-in has no ${call.method} ${call.path}.` } };
    }
    const { paymentId, customerId, reference } = record(call.body);
    if (typeof paymentId !== 'string' || typeof customerId !== 'string' || typeof reference !== 'string') {
      return { status: 400, body: { message: 'A receipt needs paymentId, customerId and reference.' } };
    }
    return {
      effect: 'receipt',
      subject: paymentId,
      apply() {
        references.add(reference);
        return { status: 201, body: { paymentId } };
      },
    };
  };
}
