import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StatementLine } from 'pawl/statements';
import { record } from '../../lib/rehearsal/engine/app/template.ts';
import { type HttpServer, readBody, sendJson, sendText, startHttpServer } from '../../lib/rehearsal/engine/http.ts';
import type { Trouble } from './plan.ts';

/** A line of the bank's own list. */
export interface BankLine {
  /** The bank's own id. */
  readonly id: string;
  readonly what: 'charge' | 'repayment' | 'refund';
  /** The order, the debt, or the line that is refunded. */
  readonly of: string;
  /** The effect key that the bank was given. */
  readonly key: string;
  readonly amountCents: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A stand-in for a bank: it keeps the one list that is believed. */
export interface Bank extends HttpServer {
  /** Everything that it has booked, in order. */
  readonly lines: readonly BankLine[];
  /** What the statement of the charges says. */
  charges(): readonly StatementLine[];
  /** From now on, nothing goes wrong. */
  calm(): void;
}

export interface BankOptions {
  /** What happens to a call. @param of the order of a charge, or the debt of a repayment */
  readonly trouble: (what: BankLine['what'], of: readonly string[], key: string) => Trouble | undefined;
  /** The worker that has called is to be killed. Its call gets no answer. */
  readonly onKill: () => void;
}

/** How long a caller waits for an answer that is lost. */
const lostAfterMs = 200;
const feeCents = 5;

/** Starts the bank. It books an effect key once, as long as all is well: a call that comes again gets the line of the first one. */
export async function startBank({ trouble, onKill }: BankOptions): Promise<Bank> {
  const lines: BankLine[] = [];
  let isCalm = false;

  function book(line: Omit<BankLine, 'id' | 'at'>, isCopy = false): BankLine {
    const known = lines.find(({ key, of, what }) => key === line.key && of === line.of && what === line.what);
    if (known !== undefined && !isCopy) return known;
    const booked = { ...line, id: `txn_${String(lines.length + 1).padStart(3, '0')}`, at: Date.now() };
    lines.push(booked);
    return booked;
  }

  async function ask(request: IncomingMessage, response: ServerResponse, what: BankLine['what']): Promise<void> {
    const body = record(JSON.parse((await readBody(request)).toString('utf8')));
    const key = String(request.headers['idempotency-key']);
    const of = Array.isArray(body['of']) ? body['of'].map(String) : [String(body['of'])];
    const amountCents = Number(body['amountCents']);
    const goesWrong = isCalm ? undefined : trouble(what, of, key);
    const bookAll = (cents = amountCents) => of.map((one) => book({ what, of: one, key, amountCents: cents }));
    switch (goesWrong) {
      case 'refused':
        return sendJson(response, 422, { message: 'the account is closed' });
      case 'kill':
        return onKill();
      case 'kill-applied':
        bookAll();
        return onKill();
      case 'late':
      case 'late-applied':
        if (goesWrong === 'late-applied') bookAll();
        setTimeout(() => response.destroy(), lostAfterMs);
        return;
      case 'fee':
        return sendJson(response, 201, bookAll(amountCents + feeCents));
      case 'twice':
        for (const one of bookAll()) book(one, true);
        return sendJson(response, 201, bookAll());
      default:
        return sendJson(response, 201, bookAll());
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bank');
    const call = `${request.method} ${pathname}`;
    if (call === 'GET /') return sendText(response, 200, pageOf(lines), 'text/html; charset=utf-8');
    if (call === 'GET /lines') return sendText(response, 200, listOf(lines), 'text/plain; charset=utf-8');
    if (call === 'POST /charges') return ask(request, response, 'charge');
    if (call === 'POST /repayments') return ask(request, response, 'repayment');
    if (call === 'POST /refunds') return ask(request, response, 'refund');
    // What a person does on the bank's page: once for a line, however often the button is pressed.
    const line = lines.find(({ id, what }) => what === 'charge' && id === searchParams.get('line'));
    if (call !== 'POST /refund-by-hand' || line === undefined)
      return sendText(response, 404, 'The bank has no such page.\n', 'text/plain');
    book({ what: 'refund', of: line.id, key: `by-hand#${line.id}`, amountCents: line.amountCents });
    response.setHeader('location', '/');
    return sendText(response, 303, `${line.id} is refunded.\n`, 'text/plain');
  }

  const server = await startHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return {
    ...{ endpoint: server.endpoint, stop: () => server.stop(), lines },
    charges: () =>
      lines
        .filter(({ what }) => what === 'charge')
        .map(({ id, key, at, amountCents }) => ({ id, effectKey: key, at, facts: { amountCents } })),
    calm() {
      isCalm = true;
    },
  };
}

const euros = (cents: number) => (cents / 100).toFixed(2);

function refundOf({ id }: BankLine, lines: readonly BankLine[]): BankLine | undefined {
  return lines.find(({ what, of }) => what === 'refund' && of === id);
}

/** The list as a terminal shows it. */
function listOf(lines: readonly BankLine[]): string {
  const rows = lines.map((line) => {
    const refund = refundOf(line, lines);
    return `${line.id}  ${line.what.padEnd(9)}  ${euros(line.amountCents).padStart(7)}  ${line.key.padEnd(24)}  ${line.of}${refund ? `  refunded by ${refund.id}` : ''}`;
  });
  return `${rows.join('\n')}\n`;
}

/** The list as a browser shows it. */
function pageOf(lines: readonly BankLine[]): string {
  const rows = lines.map((line) => {
    const refund = refundOf(line, lines);
    const act =
      line.what !== 'charge'
        ? ''
        : refund === undefined
          ? `<form method="post" action="/refund-by-hand?line=${line.id}"><button aria-label="Refund ${line.id}">Refund</button></form>`
          : `refunded by ${refund.id}`;
    const cells = [line.id, line.what, euros(line.amountCents), line.key, line.of, act];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html><html lang="en"><title>The bank's list</title><style>body{font:14px system-ui;margin:2rem}td,th{padding:.2rem .8rem;text-align:left}form{margin:0}</style>
<h1>The bank's list</h1><table><thead><tr><th>Line<th>What<th>Amount<th>Key<th>Of<th></thead><tbody>${rows.join('\n')}</tbody></table></html>`;
}
