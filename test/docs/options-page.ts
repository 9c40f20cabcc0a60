import { readFileSync } from 'node:fs';
import {
  claimOptions,
  keyOptions,
  type OptionRow,
  type OptionRows,
  queueOptions,
  requestOptions,
  transactionOptions,
  workflowOptions,
} from '../../lib/pawl/kernel/door-options.ts';
import { known as producerOptions } from '../../lib/pawl/sqs/send-once-options.ts';
import { takenBy, takers } from '../suites/options/misspelt.ts';

/*
 * The page of options, as `docs/reference/options.md` prints it. Kind and range are of the rows. What an option means, and its default, is what the
 * docstring of its interface begins with. Which doors do not take it, they say themselves.
 */

const ofMessages = ['eachMessage', 'sqsOnce', 'eachTransaction', 'startOnce'];
const ofRequests = ['onceOverHttp', 'httpOnce'];

interface Part {
  readonly rows: OptionRows;
  /** The interface. */
  readonly file: string;
  /** The doors that may take them. */
  readonly doors: readonly string[];
}

/** The parts of the page, each under the name of its marker. */
const parts: Readonly<Record<string, Part>> = {
  claims: {
    rows: claimOptions,
    file: 'lib/pawl/engine/options.ts',
    doors: ['once', ...ofMessages, ...ofRequests],
  },
  once: { rows: keyOptions, file: 'lib/pawl/engine/once.ts', doors: ['once'] },
  messages: {
    rows: { ...keyOptions, ...queueOptions },
    file: 'lib/pawl/sqs/options.ts',
    doors: ofMessages,
  },
  transactions: {
    rows: transactionOptions,
    file: 'lib/pawl/transactions/transaction-consumer.ts',
    doors: ['eachTransaction'],
  },
  workflows: { rows: workflowOptions, file: 'lib/pawl/workflows/start-once.ts', doors: ['startOnce'] },
  requests: { rows: { ...keyOptions, ...requestOptions }, file: 'lib/pawl/http/options.ts', doors: ofRequests },
  producer: { rows: producerOptions, file: 'lib/pawl/sqs/send-once-options.ts', doors: ['sendOnce'] },
};

/** Where more is said of an option. */
const more: Readonly<Record<string, string>> = {
  onAbandoned: '../guides/policies.md',
  fingerprint: 'fingerprint.md',
  lease: '../guides/managed-instances.md',
  recordResult: '../guides/once.md#what-a-call-returns',
  watched: 'table.md#the-list-of-open-claims',
  statements: '../guides/statements.md',
  onEvent: 'events.md',
  key: '../guides/keys.md',
  envelope: '../guides/envelopes.md',
  aws: '../guides/aws.md',
  mode: '../guides/observe.md',
  workflow: '../guides/workflows.md',
  onRefused: '../guides/transactions.md',
  onInheritedDoubt: '../guides/transactions.md',
};

/** The page with its parts as they are now. */
export async function withOptions(page: string): Promise<string> {
  const tables = new Map(
    await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await tableOf(part)] as const)),
  );
  return page.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${tables.get(name) ?? ''}\n${end}`,
  );
}

async function tableOf({ rows, file, doors }: Part): Promise<string> {
  const taken = await Promise.all(doors.map(async (door) => ({ door, names: await takenByDoor(door) })));
  const lines = Object.entries(rows).map(([name, row]) => {
    const { about, otherwise } = docstringOf(name, file);
    const link = more[name] === undefined ? '' : ` [More](${more[name]})`;
    const without = taken.filter(({ names }) => !names.includes(name)).map(({ door }) => `\`${door}\``);
    const refused = without.length === 0 ? '' : ` Not for ${without.join(', ')}.`;
    return [`\`${name}\``, `${about}${refused}${link}`, kindOf(row), otherwise];
  });
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(['option', 'meaning', 'kind', 'default']), `|${'---|'.repeat(4)}`, ...lines.map(line)].join('\n');
}

async function takenByDoor(name: string): Promise<readonly string[]> {
  const taker = takers.find(({ door, within, by }) => door === name && within === undefined && by === undefined);
  if (taker === undefined) throw new Error(`${name} is no door of test/suites/options/misspelt.ts`);
  return takenBy(taker);
}

/** What the docstring of an option begins with, and its default. Of one that is another interface's, what is said there. */
function docstringOf(name: string, file: string): { readonly about: string; readonly otherwise: string } {
  const docstring = [file, 'lib/pawl/engine/options.ts'].flatMap((path) => {
    const found = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s+readonly ${name}(\\??):`).exec(
      readFileSync(path, 'utf8'),
    );
    return found === null ? [] : [{ text: found[1] ?? '', required: found[2] === '' }];
  })[0];
  if (docstring === undefined) throw new Error(`${name} has no docstring in ${file}`);
  const text = docstring.text.replaceAll(/\n\s*\* ?/g, '\n').trim();
  const [, otherwise = 'none'] = /@default ([\s\S]*)$/.exec(text) ?? [];
  const oneLine = (said = '') => said.trim().replaceAll(/\s+/g, ' ');
  const [about] = text.replace(/@default[\s\S]*$/, '').split('\n\n');
  return { about: oneLine(about), otherwise: docstring.required ? 'required' : oneLine(otherwise) };
}

function kindOf(row: OptionRow): string {
  switch (row.kind) {
    case 'whole': {
      const { least = 0, most, or } = row;
      const range = most === undefined ? `at least ${least}` : `${least} to ${most.toLocaleString('en')}`;
      return `whole number, ${range}${or === undefined ? '' : `, or \`${or}\``}`;
    }
    case 'share':
      return 'number, 0 to 1';
    case 'flag':
      return '`true` or `false`';
    case 'function':
      return row.like?.replace(/^a /, '') ?? 'function';
    case 'choice':
      return row.of.map((one) => `\`'${one}'\``).join(' or ');
    default:
      return '';
  }
}
