import { expect, test } from 'vitest';
import { type Change, changesBetween } from '../../../checks/release/surface.ts';

const report = (...declarations: readonly string[]) => `# pawl/sqs\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`;

const options = `export declare interface Options {
    readonly operation: string;
    readonly onInFlight?: 'defer' | 'discard';
    readonly onEvent?: (event: Event) => void;
}`;
const event = `export declare interface Event {
    readonly at: number;
    readonly error?: {
        readonly name: string;
    };
}`;
const consume = 'export declare function consume(options: Options): void;';
const internal = `declare interface Inner {
    readonly skewMs?: number;
}`;
const before = [options, event, consume, internal];

/** What a user meets who comes from `before`. */
function changes(change: (declarations: string) => string, kind?: Change['kind']): readonly string[] {
  const now = change(before.join('\n\n')).split('\n\n');
  return changesBetween(new Map([['pawl/sqs', report(...before)]]), new Map([['pawl/sqs', report(...now)]]))
    .filter((found) => kind === undefined || found.kind === kind)
    .map(({ text }) => text);
}

test('the same surface has no change, however its lines are broken', () => {
  expect(changes((text) => text)).toEqual([]);
  expect(changes((text) => text.replace("'defer' | 'discard'", "'defer'\n        | 'discard'"))).toEqual([]);
});

test('an option that is renamed breaks its users, and the reason names both', () => {
  expect(changes((text) => text.replace('onInFlight', 'whenInFlight'), 'breaking')).toEqual([
    '`onInFlight` of `Options` is gone (is it `whenInFlight` now?)',
  ]);
});

test('an export that is removed breaks its users', () => {
  expect(changes((text) => text.replace(consume, ''), 'breaking')).toEqual(['pawl/sqs exports no `consume` any more']);
});

test('a type that is no longer exported breaks its users, although an entry still uses it', () => {
  expect(
    changes((text) => text.replace('export declare interface Event', 'declare interface Event'), 'breaking'),
  ).toEqual(['pawl/sqs exports no `Event` any more']);
});

test('an option that becomes required breaks its users, and so does a new one that is required', () => {
  expect(changes((text) => text.replace('onInFlight?', 'onInFlight'), 'breaking')).toEqual([
    '`onInFlight` of `Options` is required now',
  ]);
  expect(
    changes(
      (text) => text.replace('operation: string;', 'operation: string;\n    readonly store: object;'),
      'breaking',
    ),
  ).toEqual(['`store` of `Options` is new and required']);
});

test('a new field of what users are given, or an option that may be left out, is an addition', () => {
  const field = (text: string) => text.replace('at: number;', 'at: number;\n    readonly id: string;');
  expect(changes(field)).toEqual(['`id` of `Event` is new']);
  expect(changes(field, 'addition')).toHaveLength(1);
  const option = (text: string) =>
    text.replace('operation: string;', 'operation: string;\n    readonly skewMs?: number;');
  expect(changes(option, 'addition')).toEqual(['`skewMs` of `Options` is new']);
});

test('another type of an option, of a field inside a field, or of a function is a change to look at', () => {
  expect(changes((text) => text.replace("'defer' | 'discard'", "'defer'"), 'changed')).toEqual([
    '`onInFlight` of `Options` has another type',
  ]);
  expect(changes((text) => text.replace('readonly name: string', 'readonly name: number'), 'changed')).toEqual([
    '`error` of `Event` has another type',
  ]);
  expect(changes((text) => text.replace('): void', '): Promise<void>'), 'changed')).toEqual([
    '`consume` has another type',
  ]);
});

test('what an entry uses and does not export breaks its users as well when a member is gone', () => {
  expect(changes((text) => text.replace('skewMs', 'skew'), 'breaking')).toEqual([
    '`skewMs` of `Inner` is gone (is it `skew` now?)',
  ]);
  expect(changes((text) => text.replace('skewMs?: number', 'skewMs?: string'), 'internal')).toEqual([
    '`skewMs` of `Inner` has another type',
  ]);
});

test('an entry that is gone breaks its users, and one that is new does not', () => {
  const one = new Map([['pawl/sqs', report(...before)]]);
  const two = new Map([...one, ['pawl/s3', report(event)]] as const);
  expect(changesBetween(two, one).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'breaking: the entry pawl/s3 is gone',
  ]);
  expect(changesBetween(one, two).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'addition: the entry pawl/s3 is new',
  ]);
});

test('the overloads of a function are compared together', () => {
  const overloads = `${consume}\n\nexport declare function consume(options: Options, more: string): void;`;
  expect(changes((text) => text.replace(consume, overloads), 'changed')).toEqual(['`consume` has another type']);
});

test('a member that has moved to what its type extends is not gone', () => {
  const moved = `declare interface Base {
    readonly onInFlight?: 'defer' | 'discard';
}

export declare interface Options extends Base {
    readonly operation: string;
    readonly onEvent?: (event: Event) => void;
}`;
  expect(changes((text) => text.replace(options, moved))).toEqual([]);
  expect(changes((text) => text.replace(options, moved.replace('onInFlight', 'whenInFlight')), 'breaking')).toEqual([
    '`onInFlight` of `Options` is gone (is it `whenInFlight` now?)',
  ]);
});

test('what is left out of the type that another one extends is a change to look at', () => {
  const omitted = options.replace('Options {', "Options extends Omit<Event, 'at'> {");
  expect(changes((text) => text.replace(options, omitted), 'changed')).toEqual(['`Options` has another type']);
});

test('a new method of a class is an addition: nothing but the library makes such an object', () => {
  const table = `export declare class Table {
    constructor(scope: object, options: Options);
    grantClaims(role: object): void;
}`;
  const use = 'export declare function use(table: Table): void;';
  const one = new Map([['@pawl/cdk', report(...before, use, table)]]);
  const more = table.replace('grantClaims', 'grantOperate(role: object): void;\n    grantClaims');
  const two = new Map([['@pawl/cdk', report(...before, use, more)]]);
  expect(changesBetween(one, two).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'addition: `grantOperate` of `Table` is new',
  ]);
  expect(changesBetween(two, one).map(({ kind }) => kind)).toEqual(['breaking']);
});
