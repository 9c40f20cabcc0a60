import { randomUUID } from 'node:crypto';
import { sendMail } from './mailer.ts';

/** A consumer as many are: a key for each attempt, and no memory of what was sent. */
export async function handler(event: { readonly Records: readonly { readonly body: string }[] }): Promise<void> {
  for (const { body } of event.Records) await sendMail(JSON.parse(body), randomUUID());
}
