import {
  GetSendQuotaCommand,
  SESClient,
  SendBulkTemplatedEmailCommand,
  SendEmailCommand,
  SendRawEmailCommand,
  SendTemplatedEmailCommand,
} from '@aws-sdk/client-ses';
import {
  GetAccountCommand,
  SESv2Client,
  SendBulkEmailCommand,
  SendEmailCommand as SendV2,
} from '@aws-sdk/client-sesv2';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createIntents } from '../../../../lib/rehearsal/file/intents.ts';
import { createJournal } from '../../../../lib/rehearsal/file/journal.ts';
import { mailer } from '../../../../lib/rehearsal/file/providers.ts';
import { type ServedProvider, serveProvider } from '../../../../lib/rehearsal/file/serve-provider.ts';
import type { ProviderFault } from '../../../../lib/rehearsal/provider.ts';

/** The mailer of a rehearsal before the real clients of SES: what one of them cannot read, it sends again. */

let served: ServedProvider;
let faults: ProviderFault[] = [];
const counts = () => Object.fromEntries(served.counts);

async function start(field?: string): Promise<void> {
  const [intents, journal] = [createIntents(), createJournal()];
  for (const intent of ['order-1', 'order-2']) intents.add(intent);
  const nextFault = () => faults.shift();
  served = await serveProvider('MAILER', mailer(field), { intents, journal, kill: () => undefined, nextFault });
  onTestFinished(() => served.stop());
}
beforeEach(() => {
  faults = [];
});

const settings = () => ({
  endpoint: served.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const addresses = { Source: 'shop@example.com', Destination: { ToAddresses: ['ada@example.com'] } };
const simple = (text: string) => ({ Subject: { Data: 'Your order' }, Body: { Text: { Data: text } } });

describe('v1', () => {
  const client = () => new SESClient(settings());

  test('one email is sent once, and the client gets its id', async () => {
    await start();
    const { MessageId } = await client().send(
      new SendEmailCommand({ ...addresses, Message: simple('Dear Ada,\norder-1 & more') }),
    );
    expect(MessageId).toMatch(/^[\da-f-]{36}$/);
    expect(counts()).toEqual({ 'order-1': 1 });
  });

  test('an intent is found in a raw email, also in a part that is in base64, and in a line that an encoding has broken', async () => {
    await start();
    const part = `Subject: x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64('About order-1.')}\r\n`;
    const broken = 'Subject: x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nAbout ord=\r\ner-2 today.\r\n';
    for (const mime of [part, broken])
      await client().send(new SendRawEmailCommand({ RawMessage: { Data: Buffer.from(mime) } }));
    expect(counts()).toEqual({ 'order-1': 1, 'order-2': 1 });
  });

  test('a field is that of a tag or of the data of a template', async () => {
    await start('orderId');
    const template = { ...addresses, Template: 'receipt' };
    await client().send(new SendTemplatedEmailCommand({ ...template, TemplateData: '{"orderId":"order-1"}' }));
    const Tags = [{ Name: 'orderId', Value: 'order-2' }];
    await client().send(new SendTemplatedEmailCommand({ ...template, TemplateData: '{}', Tags }));
    expect(counts()).toEqual({ 'order-1': 1, 'order-2': 1 });
  });

  test('a bulk email has an id for each destination', async () => {
    await start();
    const destination = (id: string) => ({
      Destination: { ToAddresses: ['a@example.com'] },
      ReplacementTemplateData: `{"id":"${id}"}`,
    });
    const { Status } = await client().send(
      new SendBulkTemplatedEmailCommand({
        Source: 'shop@example.com',
        Template: 'receipt',
        DefaultTemplateData: '{}',
        Destinations: [destination('order-1'), destination('order-2')],
      }),
    );
    expect(Status).toMatchObject([{ Status: 'Success' }, { Status: 'Success' }]);
    expect(counts()).toEqual({ 'order-1': 1, 'order-2': 1 });
  });

  test('a failure that a fault makes is one that the client tries again', async () => {
    await start();
    faults = [{ kind: 'error-before', status: 503 }];
    await client().send(new SendEmailCommand({ ...addresses, Message: simple('order-1') }));
    expect(counts()).toEqual({ 'order-1': 1 });
    faults = [{ kind: 'error-before', status: 503 }];
    const once = new SESClient({ ...settings(), maxAttempts: 1 });
    const failed = once.send(new SendEmailCommand({ ...addresses, Message: simple('order-2') }));
    // As an error of SES, and not as a response that cannot be read.
    await expect(failed).rejects.toMatchObject({ name: 'InternalFailure', message: 'The provider had a problem.' });
  });

  test('what is no email is refused by name', async () => {
    await start();
    await expect(client().send(new GetSendQuotaCommand({}))).rejects.toThrow('has no GetSendQuota');
    expect(served.stats.unattributed).toBe(0);
  });
});

describe('v2', () => {
  const client = () => new SESv2Client(settings());

  test('one email is sent once, also a raw one, and the client gets its id', async () => {
    await start();
    const { MessageId } = await client().send(new SendV2({ Content: { Simple: simple('order-1') } }));
    expect(MessageId).toMatch(/^[\da-f-]{36}$/);
    await client().send(new SendV2({ Content: { Raw: { Data: Buffer.from('Subject: order-2\r\n\r\nHello') } } }));
    expect(counts()).toEqual({ 'order-1': 1, 'order-2': 1 });
  });

  test('a bulk email has a result for each entry', async () => {
    await start();
    const entry = (id: string) => ({
      Destination: { ToAddresses: ['a@example.com'] },
      ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: `{"id":"${id}"}` } },
    });
    const { BulkEmailEntryResults } = await client().send(
      new SendBulkEmailCommand({
        DefaultContent: { Template: { TemplateName: 'receipt', TemplateData: '{}' } },
        BulkEmailEntries: [entry('order-1'), entry('order-2')],
      }),
    );
    expect(BulkEmailEntryResults).toMatchObject([{ Status: 'SUCCESS' }, { Status: 'SUCCESS' }]);
    expect(counts()).toEqual({ 'order-1': 1, 'order-2': 1 });
  });

  test('what is no email is refused by name', async () => {
    await start();
    await expect(client().send(new GetAccountCommand({}))).rejects.toThrow('has no GET /v2/email/account');
  });
});
