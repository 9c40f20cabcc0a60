import { toItem } from '../../../lib/pawl/stores/dynamodb/item.ts';
import { textFrom } from '../../../lib/pawl/stores/postgres/row.ts';
import type { PostgresClient, PostgresPool, PostgresRows } from '../../../lib/pawl/stores/postgres/sql.ts';
import type { FaultName } from '../faults.ts';
import type { Sandbox } from '../lambda/sandbox.ts';
import type { Simulation } from '../simulation.ts';
import { type Answer, serverError } from './answer.ts';
import type { Session, SimulatedDatabase } from './database.ts';

/** As far as a pool needs to know what it is part of. */
type Surroundings = Pick<Simulation, 'world' | 'strikes' | 'isOut'> & {
  readonly oracle: Pick<Simulation['oracle'], 'heard' | 'storeFails' | 'sending'>;
  readonly stats: Pick<Simulation['stats'], 'storeRequests'>;
} & Spared;

/** Whether a failover leaves its connections alone. */
export interface Spared {
  readonly isSpared?: true;
}

/** An error of the driver's: it has no SQLSTATE, and says nothing of what became of the statement. */
function connectionDied(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
}

/** What the oracle has to hear of a statement: the records that it has written or read. */
interface Said {
  readonly written: readonly string[];
  readonly read: readonly object[];
}

/** A stand-in for the pool of `pg` in a sandbox, with an unreliable way to the database. */
export function postgresPool(surroundings: Surroundings, sandbox: Sandbox, database: SimulatedDatabase): PostgresPool {
  const { world, oracle, stats } = surroundings;
  const { random } = world;
  const idle: Connection[] = [];

  interface Connection extends PostgresClient {
    readonly isDead: boolean;
  }

  function strikes(fault: FaultName): boolean {
    const happens = surroundings.strikes(fault);
    if (happens) oracle.storeFails(sandbox);
    return happens;
  }

  function isOut(): boolean {
    const is = surroundings.isOut();
    if (!is) return false;
    oracle.storeFails(sandbox);
    database.failOver();
    return true;
  }

  function connectionOf(session: Session): Connection {
    let isDead = false;
    /** Statements that have not arrived at the server yet. */
    let onTheirWay = 0;
    let hasLeft = false;
    let rejectAll: ((error: Error) => void)[] = [];
    /** What its open transaction has written, until it is known to be committed. */
    let inside: string[] | undefined;

    /** The end of a connection follows what was sent on it. */
    function closeIfOver(): void {
      if (hasLeft && onTheirWay === 0) session.close();
    }

    function leave(): void {
      isDead = true;
      hasLeft = true;
      world.after(random.between(1, 15), closeIfOver);
    }

    function arrived(): void {
      onTheirWay--;
      world.after(0, closeIfOver);
    }

    function query(text: string, values: readonly unknown[] = []): Promise<PostgresRows> {
      for (const claimId of endedBy(text, values)) oracle.sending?.(sandbox, { Item: { claimId: { S: claimId } } });
      return sandbox.call<PostgresRows>(({ resolve, reject }) => {
        rejectAll.push(reject);
        stats.storeRequests++;
        const [outMs, backMs] = [random.between(1, 15), random.between(1, 15)];

        function settle(answer: Answer): void {
          rejectAll = rejectAll.filter((one) => one !== reject);
          if ('error' in answer) {
            if (text === 'COMMIT') inside = undefined;
            reject(answer.error);
          } else {
            heard(text, answer);
            resolve(answer);
          }
        }

        const back = (answer: Answer) =>
          void world.after(backMs, () => sandbox.deliver(() => (isDead ? undefined : settle(answer))));
        const breaks = (ms: number) =>
          void sandbox.after(ms, () => {
            isDead = true;
            settle({ error: connectionDied() });
          });

        function send(ms: number, done: (answer: Answer) => void): void {
          onTheirWay++;
          world.after(ms, () => {
            if (isOut()) done({ error: connectionDied() });
            else session.execute(text, values, done);
            arrived();
          });
        }

        function refuse(error: Error): void {
          onTheirWay++;
          world.after(outMs, () => {
            session.fail(text, error, back);
            arrived();
          });
        }

        const nobody = () => undefined;
        world.note(sandbox.name, nameOf(text));
        if (isDead) return sandbox.deliver(() => settle({ error: connectionDied() }));
        if (strikes('storeConflicts')) return refuse(serverError('40001', 'could not serialize access'));
        if (strikes('storeThrottles')) return refuse(serverError('53200', 'out of memory'));
        if (strikes('storeFails')) {
          leave();
          return breaks(outMs + backMs);
        }
        if (strikes('storeFailsApplied')) {
          send(outMs, nobody);
          return breaks(outMs + backMs);
        }
        if (strikes('storeAnswerLost')) return send(outMs, nobody);
        if (strikes('storeRequestLost')) return undefined;
        if (strikes('storeRequestLate')) return send(random.between(100, 12_000), nobody);
        return send(outMs, back);
      });
    }

    function heard(text: string, { rows, command }: Exclude<Answer, { error: unknown }>): void {
      if (text.startsWith('BEGIN')) inside = [];
      const { written, read } = said(text, rows);
      if (inside && text !== 'COMMIT') inside.push(...written);
      const known = text === 'COMMIT' && command === 'COMMIT' ? (inside ?? []) : inside ? [] : written;
      if (text === 'COMMIT' || text === 'ROLLBACK') inside = undefined;
      for (const id of known) oracle.heard(sandbox, { Item: { id: { S: id } } }, { value: {} });
      if (read.length > 0) oracle.heard(sandbox, {}, { value: { Responses: { claims: read } } });
    }

    sandbox.atEnd(leave);
    return {
      get isDead() {
        return isDead;
      },
      query: (text, values) => query(text, values),
      release(destroy) {
        if (isDead || destroy !== true) {
          if (!isDead) idle.push(this);
          return;
        }
        leave();
        for (const reject of rejectAll.splice(0)) reject(connectionDied());
      },
    };
  }

  return {
    connect() {
      for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) if (!kept.isDead) return Promise.resolve(kept);
      return sandbox.call<PostgresClient>(({ resolve, reject }) => {
        world.note(sandbox.name, 'connects');
        const ms = random.between(2, 30);
        if (isOut()) return void sandbox.after(ms, () => reject(connectionDied()));
        if (strikes('storeThrottles')) {
          return void sandbox.after(ms, () => reject(serverError('53300', 'sorry, too many clients already')));
        }
        const session = database.connect(sandbox, () => oracle.storeFails(sandbox), surroundings.isSpared === true);
        sandbox.after(ms, () => resolve(connectionOf(session)));
      });
    },
  };
}

function said(text: string, rows: readonly object[]): Said {
  if (text.startsWith('WITH given AS')) {
    return { written: rows.map((row) => textFrom(String(Reflect.get(row, 'id')))), read: [] };
  }
  if (!text.startsWith('SELECT id, record')) return { written: [], read: [] };
  return { written: [], read: rows.map((row) => toItem(JSON.parse(String(Reflect.get(row, 'record'))))) };
}

/** The claims whose end a statement asks for. */
function endedBy(text: string, values: readonly unknown[]): readonly string[] {
  if (!text.startsWith('WITH given AS')) return [];
  const [, claimIds = [], , statuses = []] = values as readonly (readonly unknown[])[];
  return claimIds.flatMap((claimId, index) => (statuses[index] === 'in-flight' ? [] : [String(claimId)]));
}

function nameOf(text: string): string {
  return text.startsWith('WITH given') ? 'writes' : (text.split(/[\s;]/, 1)[0] ?? '');
}
