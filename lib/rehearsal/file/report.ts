import { styleText } from 'node:util';
import { plural } from 'pawl/kernel';
import { faultNames } from './plan.ts';
import type { Harmed, RehearsalResult } from './result.ts';

/** What a report is painted with. */
type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** How many intents of a kind are named, and how many stories are told, unless all are asked for. */
const mostNamed = 8;
const mostStories = 3;

export interface ReportOptions {
  /** Only when there is a terminal to show it. */
  readonly colour: boolean;
  /** The command that repeats the run. */
  readonly again: string;
}

/** The result as a person reads it. */
export function reportText(result: RehearsalResult, { colour, again }: ReportOptions): string {
  const paint = painter(colour);
  return [
    '',
    ...troubles(result, paint),
    ...notRun(result, paint),
    '',
    ...effects(result, paint),
    ...whatWentWrong(result, { colour, again }),
    ...untested(result, paint),
    '',
    ...conclusion(result, paint, again),
    '',
  ].join('\n');
}

type Wrong = Pick<RehearsalResult, 'effects' | 'empty' | 'harmed' | 'findings' | 'hints' | 'story'>;

/** The story of each intent that came to harm, what `check` found, and the causes that are known. */
export function whatWentWrong(result: Wrong, { colour, again }: ReportOptions): readonly string[] {
  const paint = painter(colour);
  return [...stories(result, paint, again), ...askedFor(result, paint), ...hints(result, paint)];
}

function painter(colour: boolean): Paint {
  return (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text);
}

type Paint = (format: Colour, text: string) => string;

function row(paint: Paint, label: string, count: number, meaning: string): string {
  return `  ${label.padEnd(16)}${String(count).padStart(6)}   ${paint('dim', meaning)}`;
}

function troubles(result: RehearsalResult, paint: Paint): readonly string[] {
  const { faults, sandboxes, planned } = result;
  const said: Readonly<Record<string, string>> = {
    kill: 'sandboxes killed: before, during or after an effect or a write',
    redeliver: 'messages delivered again by the queue',
    loseAnswer: 'writes that DynamoDB carried out, and whose response was lost',
    throttle: 'intents of which DynamoDB refused requests as too many',
    freeze: 'sandboxes stopped past their timeout, which went on later',
    provider: 'calls of providers that failed, hung, or had a late or no response',
    ttl: 'messages delivered again after as long as their queue keeps them',
    indexLag: 'intents that an index did not show at first',
  };
  const due: Readonly<Record<string, number>> = { ...result.due };
  const ofDue = (name: string) => (due[name] === counts[name] ? '' : `of ${due[name]} planned: `);
  const counts: Readonly<Record<string, number>> = { ...faults };
  return [
    paint('bold', 'Traffic'),
    row(
      paint,
      'intents',
      result.intents,
      `${plural(result.messages, 'message or request', 'messages and requests')}; ${result.duplicates} of them sent again`,
    ),
    ...(result.deliveries > 0
      ? [row(paint, 'delivered', result.deliveries, `${result.redeliveries} of them not for the first time`)]
      : []),
    row(paint, 'invocations', sandboxes.invocations, `${sandboxes.timedOut} of them timed out`),
    row(paint, 'sandboxes', sandboxes.started, 'started, each a process of its own'),
    ...(result.deadLettered > 0 ? [row(paint, 'dead letters', result.deadLettered, 'in dead-letter queues')] : []),
    ...(result.parkedClaims > 0
      ? [row(paint, 'claims', result.parkedClaims, 'wait for an operator; an effect of one may have happened')]
      : []),
    ...(result.left > 0 ? [row(paint, 'left', result.left, leftSaid(result))] : []),
    '',
    paint('bold', 'Faults'),
    ...faultNames
      .filter((name) => said[name] !== undefined && planned[name] > 0)
      .map((name) => row(paint, name, counts[name] ?? 0, `${ofDue(name)}${said[name]}`)),
    ...(result.deployments > 0 ? [row(paint, 'deploy', result.deployments, 'deployments in mid-traffic')] : []),
    ...Object.entries(result.repeatedKeys).map(([name, count]) =>
      row(paint, 'keys', count, `calls that ${name} had seen before, by their idempotency key`),
    ),
    ...Object.entries(result.unattributed).map(([name, count]) =>
      row(paint, 'unknown', count, `calls of ${name} that name no intent`),
    ),
  ];
}

function leftSaid({ gaveUp }: RehearsalResult): string {
  return gaveUp === undefined
    ? 'messages still on their queues when the time was up'
    : `messages still on their queues. The rehearsal waits no longer: ${gaveUp}`;
}

function notRun({ notRun: parts, shortened, unread, refused }: RehearsalResult, paint: Paint): readonly string[] {
  const lines = parts.slice(0, mostNamed).map(({ construct, type, property, why }) => {
    return `  ${construct} (${type}${property === undefined ? '' : `, ${property}`}): ${paint('dim', why)}`;
  });
  const reached = Object.entries(refused)
    .slice(0, mostNamed)
    .map(
      ([address, times]) =>
        `  ${address}: ${paint('dim', `${plural(times, 'call')} refused. Name what stands for it in providers`)}`,
    );
  const more = parts.length > mostNamed ? [`  and ${parts.length - mostNamed} more: --json lists them`] : [];
  const short = shortened.map(({ logicalId, from, to }) => `${logicalId} ${from} s → ${to} s`).slice(0, mostNamed);
  return [
    ...(lines.length > 0 ? ['', paint('bold', 'Not run'), ...lines, ...more] : []),
    ...(reached.length > 0 ? ['', paint('bold', 'Not reached'), ...reached] : []),
    ...(short.length > 0 ? ['', paint('dim', `Timeouts shortened for the rehearsal: ${short.join(', ')}`)] : []),
    ...(unread.length > 0
      ? ['', paint('dim', `Timeouts that cannot be read, and stay as written: ${unread.join(', ')}`)]
      : []),
  ];
}

function effects(result: RehearsalResult, paint: Paint): readonly string[] {
  const width = Math.max(14, ...result.effects.map(({ effect }) => effect.length + 2));
  const hasUncounted = result.effects.some(({ uncounted }) => uncounted.length > 0);
  const heads = ['intents', 'done', 'doubled', 'lost', 'unfinished', 'parked', 'set aside', 'refused', 'not judged'];
  if (hasUncounted) heads.push('uncounted');
  const cell = (text: string) => text.padStart(11);
  return [
    paint('bold', `${'Effects'.padEnd(width + 2)}${heads.map(cell).join('')}`),
    ...result.effects.map((verdict) => {
      const count = (items: readonly string[], isBad = false) => {
        const text = cell(String(items.length));
        return isBad && items.length > 0 ? paint('red', text) : text;
      };
      return [
        `  ${verdict.effect.padEnd(width)}`,
        cell(String(verdict.intents)),
        cell(String(verdict.done)),
        count(verdict.doubled, true),
        count(verdict.lost, true),
        count(verdict.unfinished, true),
        count(verdict.parked),
        count(verdict.setAside),
        count(verdict.notOwed),
        count(verdict.unjudged),
        ...(hasUncounted ? [count(verdict.uncounted, true)] : []),
      ].join('');
    }),
    ...result.notJudged.map((effect) =>
      paint('yellow', `  ${effect}: not judged, since it has not happened at all under --filter`),
    ),
  ];
}

function stories(
  { harmed, empty, findings, effects: verdicts }: Wrong,
  paint: Paint,
  again: string,
): readonly string[] {
  const lines: string[] = [];
  // First: what cannot be counted is no verdict on the app.
  if (empty.length > 0) lines.push('', paint('red', 'The rehearsal shows nothing'), ...empty.map((why) => `  ${why}`));
  for (const { effect } of verdicts) {
    for (const problem of ['doubled', 'lost', 'unfinished'] as const) {
      const these = harmed.filter((one) => one.effect === effect && one.problem === problem);
      if (these.length === 0) continue;
      const named = these.slice(0, mostNamed).map(({ intent }) => intent);
      const more = these.length > mostNamed ? ` and ${these.length - mostNamed} more` : '';
      lines.push('', paint('red', `${effect}, ${problem}: ${named.join(', ')}${more}`));
      for (const one of these.slice(0, mostStories)) lines.push(...storyLines(one, paint));
      if (these.length > mostStories) {
        lines.push(paint('dim', `  The others: ${again} --story ${these[mostStories]?.intent}`));
      }
    }
  }
  if (findings.length > 0) lines.push('', paint('red', 'Found by check'), ...findings.map((finding) => `  ${finding}`));
  return lines;
}

function untested({ untested: notes }: RehearsalResult, paint: Paint): readonly string[] {
  if (notes.length === 0) return [];
  return ['', paint('yellow', 'The rehearsal shows nothing about'), ...notes.map((note) => `  ${note}`)];
}

function askedFor({ story }: Wrong, paint: Paint): readonly string[] {
  if (story === undefined) return [];
  const lines = story.lines.length > 0 ? story.lines : ['Nothing happened under this name.'];
  return ['', paint('bold', `The story of ${story.intent}`), ...lines.map((line) => `  ${line}`)];
}

function storyLines({ effect, intent, times, story }: Harmed, paint: Paint): readonly string[] {
  const count = times === 1 ? 'once' : `${times} times`;
  return ['', `  ${paint('bold', intent)}: ${effect} happened ${count}`, ...story.map((line) => `  ${line}`)];
}

function hints(result: Wrong, paint: Paint): readonly string[] {
  if (result.hints.length === 0) return [];
  return [
    '',
    paint('bold', 'Why'),
    ...result.hints.map(({ text, intents }) => {
      const some = intents.slice(0, mostNamed).join(', ');
      const more = intents.length > mostNamed ? ` and ${intents.length - mostNamed} more` : '';
      return `  ${paint('yellow', '•')} ${text}${intents.length > 0 ? paint('dim', ` (${some}${more})`) : ''}`;
    }),
  ];
}

function happened({ effects: verdicts }: RehearsalResult): string {
  const sum = (pick: (verdict: RehearsalResult['effects'][number]) => number) =>
    verdicts.reduce((total, verdict) => total + pick(verdict), 0);
  const rest = [
    [sum(({ absent }) => absent), 'has not happened, and need not', 'have not happened, and need not'],
    [sum(({ parked }) => parked.length), 'waits for an operator', 'wait for an operator'],
    [sum(({ setAside }) => setAside.length), 'is in a dead-letter queue', 'are in a dead-letter queue'],
    [
      sum(({ notOwed }) => notOwed.length),
      'was refused or given up by its client',
      'were refused or given up by their client',
    ],
  ] as const;
  const others = rest.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many));
  return [
    `${plural(
      sum(({ done, absent }) => done - absent),
      'effect',
    )} happened once`,
    ...others,
  ].join(', ');
}

function conclusion(result: RehearsalResult, paint: Paint, again: string): readonly string[] {
  const total = (pick: (verdict: RehearsalResult['effects'][number]) => readonly string[]) =>
    result.effects.reduce((sum, verdict) => sum + pick(verdict).length, 0);
  const [doubled, lost, unfinished] = [
    total((verdict) => verdict.doubled),
    total((verdict) => verdict.lost),
    total((verdict) => verdict.unfinished),
  ];
  const numbers = `${doubled} doubled, ${lost} lost${unfinished > 0 ? `, ${unfinished} unfinished` : ''}`;
  const reasons = [
    ...(result.empty.length > 0 ? ['but it shows nothing'] : []),
    ...(result.findings.length > 0 ? [plural(result.findings.length, 'finding')] : []),
  ];
  const verdict = result.good
    ? paint(
        result.untested.length > 0 ? 'yellow' : 'green',
        `0 doubled, 0 lost: ${happened(result)}.${result.untested.length > 0 ? ' It does not show all that was planned: see above.' : ''}`,
      )
    : paint('red', `${[numbers, ...reasons].join(', ')}.`);
  const why = result.noVerdict === undefined ? [] : [paint('yellow', `No verdict. ${result.noVerdict}`)];
  return [...why, verdict, paint('dim', `${result.seconds.toFixed(0)} s. The same again: ${again}`)];
}
