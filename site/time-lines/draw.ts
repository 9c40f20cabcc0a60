import type { Happening, Story } from './story.ts';

/**
 * Draws a story: time runs downwards, and each worker, the claims table, the provider and the dead-letter queue has a line of its own.
 *
 * Owns: shapes, places and colours. Does not own: what happened.
 */

export type Scheme = 'light' | 'dark';

interface Colours {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly arrow: string;
  readonly effect: string;
  readonly death: string;
}

const colours: Readonly<Record<Scheme, Colours>> = {
  light: { text: '#213547', faint: '#5c6b7a', line: '#c9d1d9', arrow: '#3451b2', effect: '#18794e', death: '#b8272c' },
  dark: { text: '#dfdfd6', faint: '#a0a0aa', line: '#3c3f44', arrow: '#a8b1ff', effect: '#3dd68c', death: '#f66f81' },
};

const width = 680;
const textWidth = 300;
const topMargin = 46;
const rowHeight = 26;

type Peer = 'table' | 'provider' | 'dead letters' | 'lambda';

interface Drawn {
  /** What the row says. */
  readonly says: string;
  /** The other side, if the worker talks to one. */
  readonly peer?: Peer;
  /** Where the arrow points. */
  readonly towards?: 'peer' | 'worker';
}

/** How each act is drawn. */
const acts: Readonly<Record<string, Drawn>> = {
  asks: { says: 'asks for the claim', peer: 'table', towards: 'peer' },
  claims: { says: 'the claim is written', peer: 'table', towards: 'worker' },
  calls: { says: 'calls the provider', peer: 'provider', towards: 'peer' },
  applies: { says: 'the provider applies the effect', peer: 'provider', towards: 'worker' },
  records: { says: 'asks to complete the claim', peer: 'table', towards: 'peer' },
  completes: { says: 'the completion is written', peer: 'table', towards: 'worker' },
  releases: { says: 'the claim is released', peer: 'table', towards: 'worker' },
  parks: { says: 'the claim is parked', peer: 'table', towards: 'worker' },
  'dead-letters': { says: 'sends the message to the dead letters', peer: 'dead letters', towards: 'peer' },
  'hears applied': { says: 'the provider says: applied', peer: 'provider', towards: 'worker' },
  'hears not applied': { says: 'the provider says: not applied', peer: 'provider', towards: 'worker' },
  'hears too early': { says: 'too early to believe: not applied', peer: 'provider', towards: 'worker' },
  responds: { says: 'responds to Lambda', peer: 'lambda' },
  dies: { says: 'dies' },
};

/** The scene of one story: where everything stands. */
interface Scene {
  readonly colours: Colours;
  readonly story: Story;
  readonly columns: ReadonlyMap<string, number>;
}

export function draw(story: Story, title: string, scheme: Scheme): string {
  const workers = [...new Set(story.map(({ worker }) => `worker ${worker}`))];
  const peers = [...new Set(story.flatMap(({ act }) => drawn(act).peer ?? []))].filter((peer) => peer !== 'lambda');
  const names = [...workers, ...(['table', 'provider', 'dead letters'] as const).filter((one) => peers.includes(one))];
  const step = (width - textWidth) / names.length;
  const columns = new Map(names.map((name, index) => [name, textWidth + step * (index + 0.5)]));
  const scene: Scene = { colours: colours[scheme], story, columns };
  const rows = rowsOf(scene);
  const height = topMargin + rows.length * rowHeight + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    ...names.map((name) => lane(scene, name, height)),
    ...rows,
    '</svg>',
  ].join('\n');
}

function drawn(act: string): Drawn {
  const known = acts[act];
  if (known === undefined) throw new Error(`Nothing says how to draw ${JSON.stringify(act)}.`);
  return known;
}

/** A line for each worker from its first act to its last, and for the others from top to bottom. */
function lane({ colours, columns, story }: Scene, name: string, height: number): string {
  const x = columns.get(name) ?? 0;
  const own = story.flatMap(({ worker }, index) => (`worker ${worker}` === name ? [yOf(story, index)] : []));
  const [from, to] = own.length > 0 ? [own[0], own.at(-1)] : [topMargin - 12, height - 10];
  return `<text x="${x}" y="20" text-anchor="middle" fill="${colours.text}" font-weight="600" font-size="12">${name}</text>
<line x1="${x}" y1="${from}" x2="${x}" y2="${to}" stroke="${colours.line}" stroke-width="3" stroke-linecap="round"/>`;
}

/** A row for each act, and one where another worker begins. */
function rowsOf(scene: Scene): readonly string[] {
  return scene.story.flatMap((happening, index) => {
    const before = scene.story[index - 1];
    const row = actRow(scene, happening, index);
    return before !== undefined && before.worker !== happening.worker
      ? [laterRow(scene, happening, before, yOf(scene.story, index) - rowHeight), row]
      : [row];
  });
}

/** Where the row of an act is: below those before it, and below those between two workers. */
function yOf(story: Story, index: number): number {
  const between = story.slice(1, index + 1).filter(({ worker }, at) => worker !== story[at]?.worker).length;
  return topMargin + (index + between) * rowHeight;
}

function laterRow({ colours }: Scene, { at, worker }: Happening, before: Happening, y: number): string {
  const seconds = Math.max(1, Math.round((at - before.at) / 1000));
  return `<text x="0" y="${y + 4}" fill="${colours.faint}" font-style="italic">${seconds} s later, SQS delivers again: worker ${worker}</text>`;
}

function actRow({ colours, columns, story }: Scene, { act, worker }: Happening, index: number): string {
  const y = yOf(story, index);
  const { says, peer, towards } = drawn(act);
  const x = columns.get(`worker ${worker}`) ?? 0;
  const colour = act === 'dies' ? colours.death : act === 'applies' ? colours.effect : colours.text;
  const weight = act === 'dies' || act === 'applies' ? 600 : 400;
  const text = `<text x="0" y="${y + 4}" fill="${colour}" font-weight="${weight}">${says}</text>`;
  if (act === 'dies') return text + cross(x, y, colours.death);
  const to = peer === undefined ? undefined : columns.get(peer);
  if (to === undefined) return `${text}<circle cx="${x}" cy="${y}" r="4" fill="${colours.arrow}"/>`;
  const next = story[index + 1];
  // The worker dies at once: its request never reaches the other side, or the response never reaches the worker.
  const cut = next?.act === 'dies' && next.worker === worker;
  const mark = act === 'applies' ? `<circle cx="${to}" cy="${y}" r="6" fill="${colours.effect}"/>` : '';
  if (towards === 'peer') return text + arrow(x, cut ? (x + to) / 2 : to, y, colours.arrow, cut) + mark;
  const written = `<circle cx="${to}" cy="${y}" r="${act === 'applies' ? 6 : 4}" fill="${act === 'applies' ? colours.effect : colours.arrow}"/>`;
  return text + (cut ? written : arrow(to, x, y, colours.arrow, false) + written);
}

function arrow(from: number, to: number, y: number, colour: string, cut: boolean): string {
  const side = Math.sign(to - from);
  const end = to - side * (cut ? 0 : 6);
  const head = `<path d="M${end} ${y} l${-side * 7} -4 v8 z" fill="${colour}"/>`;
  return `<line x1="${from}" y1="${y}" x2="${end}" y2="${y}" stroke="${colour}" stroke-width="1.5"${cut ? ' stroke-dasharray="4 4"' : ''}/>${cut ? '' : head}`;
}

function cross(x: number, y: number, colour: string): string {
  return `<path d="M${x - 6} ${y - 6} l12 12 m0 -12 l-12 12" stroke="${colour}" stroke-width="3" stroke-linecap="round"/>`;
}
