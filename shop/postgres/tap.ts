import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../lib/rehearsal/engine/http.ts';
import { serveCallers } from '../../lib/rehearsal/engine/lambda/callers.ts';
import type { TapAnswer, TapCall, TapHooks, TapVerdict } from '../../lib/rehearsal/engine/servers/tap.ts';
import { firstRequest, firstResponse, type Response, type Statement } from './wire.ts';

/*
 * A proxy in front of PostgreSQL, with the hooks that a rehearsal has in front of DynamoDB.
 *
 * Owns: what a call is. A statement is one, and so is a whole transaction, at its COMMIT: the body of a call is a list of statements, and that of an answer a
 * list of the rows of each. Does not own: what goes wrong.
 */

/** What is known when the rehearsal is up. */
interface TapUp {
  readonly hooks: TapHooks;
  kill(sandbox: string): void;
  /** Waits for the server, and does not hold its time against a sandbox if the machine was slow. */
  serving<T>(answer: Promise<T>, sandbox: string | undefined): Promise<T>;
}

export interface PostgresTap {
  readonly port: number;
  /** Where what happens is decided. Calls before it pass. */
  up?: TapUp;
  stop(): Promise<void>;
}

/** @param port that of the server, on 127.0.0.1 */
export async function startPostgresTap(port: number): Promise<PostgresTap> {
  const open = new Set<Socket>();
  const serve = (client: Socket, sandbox?: string) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    pass(client, connect(port, '127.0.0.1'), { tap, sandbox }).catch(() => client.destroy());
  };
  const listener = createServer({ noDelay: true }, (client) => serve(client));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const ownPort = portOf(listener);
  const stopCallers = serveCallers(ownPort, serve);
  const tap: PostgresTap = {
    port: ownPort,
    async stop() {
      stopCallers();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return tap;
}

interface Passing {
  readonly tap: PostgresTap;
  readonly sandbox: string | undefined;
}

/** Everything that one connection says, until either end closes it. */
async function pass(client: Socket, server: Socket, { tap, sandbox }: Passing): Promise<void> {
  const end = () => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) socket.on('error', end).on('end', end).on('close', end);
  const asked = arriving(client);
  const answered = arriving(server);
  // How a connection begins has another form, and no server of ours asks for a password.
  server.write(
    await asked.first((all) => (all.length >= 4 && all.length >= all.readInt32BE(0) ? all.length : undefined)),
  );
  client.write(await answered.first((all) => firstResponse(all)?.bytes));

  /** The statements of the open transaction, with their rows. */
  let inside: (readonly [Statement, Response['rows']])[] | undefined;
  for (;;) {
    const request = await asked.first((all) => firstRequest(all)?.bytes);
    const statement = firstRequest(request)?.statement;
    if (statement === undefined) return end();
    const isCommit = statement.text === 'COMMIT';
    const isCall = inside === undefined || isCommit;
    const before = inside ?? [];
    const statements = isCommit ? before.map(([one]) => one) : [statement];
    const call: TapCall = {
      sandbox,
      operation: statement.text.split(/[\s;]/, 1)[0] ?? '',
      body: JSON.stringify(statements),
    };
    const hooks = isCall ? tap.up?.hooks : undefined;
    if (!goesOn(hooks?.onRequest?.(call) ?? 'pass')) return end();
    server.write(request);
    const answering = answered.first((all) => firstResponse(all)?.bytes);
    const response = await (tap.up?.serving(answering, sandbox) ?? answering);
    const { rows = [], failed = true, isInside = false } = firstResponse(response) ?? {};
    const answer: TapAnswer = {
      status: failed ? 500 : 200,
      body: JSON.stringify(isCommit ? before.map(([, one]) => one) : [rows]),
    };
    if (!goesOn(hooks?.onResponse?.(call, answer) ?? 'pass')) return end();
    if (!isInside) inside = undefined;
    else if (inside === undefined) inside = [];
    else inside.push([statement, rows]);
    await new Promise((written) => client.write(response, written));
    if (hooks?.onAnswered?.(call, answer) === 'kill') kill();
  }

  function goesOn(verdict: TapVerdict): boolean {
    if (verdict === 'kill') kill();
    return verdict !== 'kill' && verdict !== 'drop';
  }

  function kill(): void {
    if (sandbox !== undefined) tap.up?.kill(sandbox);
  }
}

/** Collects what arrives, and gives it out in parts. Nobody is told that it has ended: who waits then waits for ever, and is forgotten with its socket. */
function arriving(socket: Socket) {
  let all = Buffer.alloc(0);
  let heard: () => void = () => undefined;
  socket.on('data', (more) => {
    all = Buffer.concat([all, more as Buffer]);
    heard();
  });
  return {
    /** @param bytesOf how many bytes the first part has, if it is whole */
    async first(bytesOf: (all: Buffer) => number | undefined): Promise<Buffer> {
      for (;;) {
        const bytes = bytesOf(all);
        if (bytes !== undefined) {
          const part = all.subarray(0, bytes);
          all = all.subarray(bytes);
          return part;
        }
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
  };
}
