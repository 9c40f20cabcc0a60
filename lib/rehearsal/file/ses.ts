import { jsonIn, list, record } from '../engine/app/template.ts';
import { type ProviderAnswer, problem } from '../provider.ts';
import type { ProviderRequest } from './providers.ts';

/*
 * SES, as its two clients speak to it: v1 sends forms and reads XML (`AWS_ENDPOINT_URL_SES`), v2 speaks JSON (`AWS_ENDPOINT_URL_SESV2`). An answer in
 * the other one's language is an error to a client, which sends the email again.
 */

/** A request to SES. */
export interface SesRequest {
  /** `SendEmail`. */
  readonly operation: string;
  /** How many emails it sends; 0 if it is about something else. */
  readonly sends: number;
  /** All that it says, for those who look for an intent: with what stands in base64. */
  readonly text: string;
  /** What it says under this name: in a tag, or in the data of its template. */
  named(field: string): string | undefined;
  sent(): ProviderAnswer;
  failure(status: number): ProviderAnswer;
  /** A rehearsal has no such operation. */
  refusal(): ProviderAnswer;
}

/** Reads a request to SES; `undefined` if it is none. */
export function readSes(request: ProviderRequest): SesRequest | undefined {
  const form = record(request.body);
  if (request.method === 'POST' && form['Version'] === '2010-12-01' && typeof form['Action'] === 'string') {
    return formRequest(form, form['Action']);
  }
  return request.path.startsWith('/v2/email/') ? jsonRequest(request) : undefined;
}

const v1Sends = new Set(['SendEmail', 'SendRawEmail', 'SendTemplatedEmail', 'SendBulkTemplatedEmail']);

function formRequest(form: Readonly<Record<string, unknown>>, operation: string): SesRequest {
  const isBulk = operation === 'SendBulkTemplatedEmail';
  const destinations = new Set(
    Object.keys(form).flatMap((name) => /^Destinations\.member\.(\d+)\./.exec(name)?.[1] ?? []),
  );
  const emails = !v1Sends.has(operation) ? 0 : isBulk ? destinations.size : 1;
  const raw = String(form['RawMessage.Data'] ?? '');
  const tags = Object.entries(form).flatMap(([name, value]) => {
    const tag = /^((?:Default)?Tags\.member\.\d+)\.Name$/.exec(name)?.[1];
    return tag === undefined ? [] : [{ Name: value, Value: form[`${tag}.Value`] }];
  });
  const id = () => `<MessageId>${crypto.randomUUID()}</MessageId>`;
  const result = () =>
    isBulk ? `<Status>${`<member><Status>Success</Status>${id()}</member>`.repeat(emails)}</Status>` : id();
  return {
    operation,
    sends: emails,
    text: `${JSON.stringify(form)} ${mimeText(raw)}`,
    named: (field) => inTags(tags, field) ?? inTemplate(form['TemplateData'], field),
    sent: () =>
      xml(
        200,
        `<${operation}Response${xmlns}><${operation}Result>${result()}</${operation}Result>${metadata}</${operation}Response>`,
      ),
    failure: (status) => xmlError(status, status < 500 ? 'Sender' : 'Receiver', 'InternalFailure', problem),
    refusal: () => xmlError(400, 'Sender', 'InvalidAction', unknownOperation(operation)),
  };
}

const xmlns = ' xmlns="http://ses.amazonaws.com/doc/2010-12-01/"';
const metadata = '<ResponseMetadata><RequestId>rehearsed</RequestId></ResponseMetadata>';

function xml(status: number, body: string): ProviderAnswer {
  return { status, body, contentType: 'text/xml' };
}

function xmlError(status: number, type: string, code: string, message: string): ProviderAnswer {
  const error = `<Error><Type>${type}</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return xml(status, `<ErrorResponse${xmlns}>${error}<RequestId>rehearsed</RequestId></ErrorResponse>`);
}

function jsonRequest({ method, path, body, text }: ProviderRequest): SesRequest {
  const entries = list(record(body)['BulkEmailEntries']);
  const isOne = method === 'POST' && path === '/v2/email/outbound-emails';
  const isBulk = method === 'POST' && path === '/v2/email/outbound-bulk-emails';
  const operation = isOne ? 'SendEmail' : isBulk ? 'SendBulkEmail' : `${method} ${path}`;
  const content = record(record(body)['Content']);
  const raw = String(record(content['Raw'])['Data'] ?? '');
  const emails = isOne ? 1 : isBulk ? entries.length : 0;
  const entry = () => ({ Status: 'SUCCESS', MessageId: crypto.randomUUID() });
  return {
    operation,
    sends: emails,
    text: `${text} ${mimeText(raw)}`,
    named: (field) =>
      inTags(list(record(body)['EmailTags']), field) ?? inTemplate(record(content['Template'])['TemplateData'], field),
    sent: () => ({
      status: 200,
      body: isBulk ? { BulkEmailEntryResults: entries.map(entry) } : { MessageId: crypto.randomUUID() },
    }),
    failure: (status) => ({ status, body: { message: problem } }),
    refusal: () => ({ status: 400, body: { __type: 'BadRequestException', message: unknownOperation(operation) } }),
  };
}

function unknownOperation(operation: string): string {
  return `The mailer of a rehearsal sends emails, and has no ${operation}. Use httpProvider for it.`;
}

/** A raw email with what its parts have in base64, and with the lines whole that an encoding has broken. */
function mimeText(base64: string): string {
  const mime = Buffer.from(base64, 'base64').toString('utf8').replaceAll('\r\n', '\n');
  const parts = [...mime.matchAll(/^content-transfer-encoding: *base64$(?:\n.+)*\n\n([A-Za-z0-9+/=\n]+)/gim)];
  const decoded = parts.map(([, part = '']) => Buffer.from(part, 'base64').toString('utf8'));
  return [mime.replaceAll('=\n', ''), ...decoded].join('\n');
}

function inTags(tags: readonly unknown[], field: string): string | undefined {
  const tag = tags.map(record).find(({ Name }) => Name === field);
  return tag === undefined ? undefined : String(tag['Value']);
}

function inTemplate(data: unknown, field: string): string | undefined {
  // Without a template, and with data that SES would refuse, it says nothing.
  const value = record(jsonIn(String(data)))[field];
  return value === undefined || value === null ? undefined : String(value);
}
