import { randomUUID } from 'node:crypto';
import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { HttpServer } from '../../lib/rehearsal/engine/http.ts';
import { type ProviderOptions, type ProviderRoutes, startProvider } from '../../lib/rehearsal/provider.ts';
import type { EffectKind, Ledger } from './ledger.ts';

/** Starts a stand-in for SES v2 `SendEmail`. */
export async function startSes(ledger: Ledger, options: ProviderOptions<EffectKind> = {}): Promise<HttpServer> {
  return startProvider(sesRoutes(ledger), options);
}

/**
 * What the stand-in does with a call. Like SES it remembers nothing: each call sends one more mail.
 *
 * The tag `orderId` says which order a mail belongs to.
 */
export function sesRoutes(ledger: Ledger): ProviderRoutes<EffectKind> {
  return (call) => {
    if (call.method !== 'POST' || call.path !== '/v2/email/outbound-emails') {
      return { status: 404, body: { message: `The SES stand-in has no ${call.method} ${call.path}.` } };
    }
    const { Destination, Content, EmailTags } = record(call.body);
    const tag = list(EmailTags)
      .map(record)
      .find(({ Name }) => Name === 'orderId');
    if (tag === undefined || list(record(Destination)['ToAddresses']).length === 0 || Content === undefined) {
      return { status: 400, body: { message: 'A mail needs a destination, a content and the tag orderId.' } };
    }
    const orderId = String(tag['Value']);
    ledger.ask('email', orderId);
    return {
      effect: 'email',
      subject: orderId,
      apply() {
        const key = randomUUID();
        ledger.append({ effect: 'email', orderId, key, sandbox: call.sandbox });
        return { status: 200, body: { MessageId: key } };
      },
    };
  };
}
