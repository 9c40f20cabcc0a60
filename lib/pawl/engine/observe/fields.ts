import type { Host } from '../../kernel/host.ts';

/** How many fields of a payload are kept, in how many characters of names, and how much of the hash of each: the record is to stay below a write unit. */
const mostFields = 24;
const mostNames = 240;
const hashLength = 6;

/**
 * A short hash of each field in the text of an intent, by its path; nothing where the text is no object of JSON. Two payloads under one key show by it in which fields
 * they differ. The hashes are of this key alone, and too short to tell a value.
 */
export function fieldsOf(
  intent: string,
  id: string,
  host: Pick<Host, 'sha256'>,
): Readonly<Record<string, string>> | undefined {
  const leaves = leavesOf(intent);
  if (leaves.length === 0) return undefined;
  let names = 0;
  const kept = leaves.slice(0, mostFields).filter(([path]) => {
    names += path.length;
    return names <= mostNames;
  });
  const hashed = kept.map(([path, value]) => {
    const text = `${id} ${path} ${JSON.stringify(value)}`;
    return [path, host.sha256(text).slice(0, hashLength)] as const;
  });
  return Object.fromEntries(hashed);
}

/** The fields of a text, and those inside of them. The intent of a request of HTTP is a list, and its body in the next line. */
function leavesOf(intent: string): readonly (readonly [string, unknown])[] {
  const [first = '', second] = intent.startsWith('["') ? intent.split('\n', 2) : [intent];
  const request = second === undefined ? undefined : parsed(first);
  if (!Array.isArray(request)) return leavesIn(parsed(intent));
  const [method, path, query] = request as readonly unknown[];
  const body = leavesIn(parsed(second ?? ''), 'body');
  return [
    ['method', method],
    ['path', path],
    ['query', query],
    ...(body.length > 0 ? body : [['body', second] as const]),
  ];
}

function leavesIn(value: unknown, prefix = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const inner = path.split('.').length < 3 ? leavesIn(field, path) : [];
    return inner.length > 0 ? inner : [[path, field] as const];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
