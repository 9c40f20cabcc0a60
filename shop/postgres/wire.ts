/**
 * PostgreSQL's protocol, as far as a proxy has to read it: where a message ends, which statements a client sends, and which rows come back.
 *
 * Does not own: what becomes of a message. Nothing is changed on its way.
 */

/** A statement on its way to the server. A parameter that is no text is not read: pawl and `pg` send texts. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A message of the protocol behind the start of a connection: its type, its contents, and how many bytes it has. */
interface WireMessage {
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: number;
}

/** Takes the messages that are whole from the beginning of what has arrived. */
function* wholeMessages(arrived: Buffer): Generator<WireMessage> {
  for (let at = 0; at + 5 <= arrived.length; ) {
    const bytes = 1 + arrived.readInt32BE(at + 1);
    if (at + bytes > arrived.length) return;
    yield { type: String.fromCharCode(arrived[at] ?? 0), body: arrived.subarray(at + 5, at + bytes), bytes };
    at += bytes;
  }
}

/** What a client sends until it waits for the server. `statement` is `undefined` where it says good-bye. */
interface Request {
  readonly statement: Statement | undefined;
  readonly bytes: number;
}

/** The first request, if it is whole: a query by itself, or what stands before a `Sync`. */
export function firstRequest(arrived: Buffer): Request | undefined {
  let bytes = 0;
  let [text, values]: [string, readonly (string | null)[]] = ['', []];
  for (const message of wholeMessages(arrived)) {
    bytes += message.bytes;
    const read = readerOf(message.body);
    if (message.type === 'Q') return { statement: { text: read.text(), values: [] }, bytes };
    if (message.type === 'P') {
      read.text();
      text = read.text();
    }
    if (message.type === 'B') values = boundValues(read);
    if (message.type === 'S') return { statement: { text, values }, bytes };
    if (message.type === 'X') return { statement: undefined, bytes };
  }
  return undefined;
}

/** What a server sends until it waits for the client, if it is whole. */
export interface Response {
  /** The first column of each row, as text. */
  readonly rows: readonly (string | null)[];
  readonly failed: boolean;
  /** Whether a transaction is open now. */
  readonly isInside: boolean;
  readonly bytes: number;
}

export function firstResponse(arrived: Buffer): Response | undefined {
  let bytes = 0;
  let failed = false;
  const rows: (string | null)[] = [];
  for (const message of wholeMessages(arrived)) {
    bytes += message.bytes;
    const read = readerOf(message.body);
    // COMMIT of a transaction that has failed is no error: it says that it was a ROLLBACK.
    if (message.type === 'E' || (message.type === 'C' && read.text() === 'ROLLBACK')) failed = true;
    if (message.type === 'D' && read.int16() > 0) rows.push(read.value());
    if (message.type === 'Z') return { rows, failed, isInside: read.letter() !== 'I', bytes };
  }
  return undefined;
}

type Reader = ReturnType<typeof readerOf>;

function boundValues(read: Reader): readonly (string | null)[] {
  // Of the portal and of the statement: both are unnamed.
  read.text();
  read.text();
  for (let formats = read.int16(); formats > 0; formats--) read.int16();
  return Array.from({ length: read.int16() }, () => read.value());
}

function readerOf(body: Buffer) {
  let at = 0;
  return {
    letter: () => String.fromCharCode(body[at] ?? 0),
    int16() {
      at += 2;
      return body.readInt16BE(at - 2);
    },
    /** Up to its zero byte. */
    text() {
      const end = body.indexOf(0, at);
      const text = body.toString('utf8', at, end);
      at = end + 1;
      return text;
    },
    /** With its length in front. */
    value() {
      const length = body.readInt32BE(at);
      at += 4 + Math.max(0, length);
      return length < 0 ? null : body.toString('utf8', at - length, at);
    },
  };
}
