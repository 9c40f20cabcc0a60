import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import { type HttpServer, readBody, sendJson, startHttpServer } from '../../lib/rehearsal/engine/http.ts';

/** A message as the handler got it. */
export interface Seen {
  readonly id: string;
  readonly queue: string;
  readonly count: number;
  readonly group: string | undefined;
}

/** One invocation: what it was handed, and when. */
export interface Batch {
  readonly at: number;
  readonly seen: readonly Seen[];
}

export interface Journal extends HttpServer {
  /** What the function was handed from a queue, oldest first. */
  batchesFrom(queue: string): readonly Batch[];
}

/** Starts the server to which the handler sends each batch before it does anything else. */
export async function startJournal(): Promise<Journal> {
  const batches: Batch[] = [];
  const server = await startHttpServer(async (request, response) => {
    const at = Date.now();
    const seen = list(JSON.parse((await readBody(request)).toString('utf8'))).map(seenIn);
    batches.push({ at, seen });
    await sendJson(response, 200, {});
  });
  return { ...server, batchesFrom: (queue) => batches.filter(({ seen }) => seen[0]?.queue === queue) };
}

function seenIn(value: unknown): Seen {
  const { id, queue, count, group } = record(value);
  return {
    id: String(id),
    queue: String(queue),
    count: Number(count),
    group: group === undefined ? undefined : String(group),
  };
}
