import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { notEmpty } from '../../../checks/not-empty.ts';
import { nodeHost } from '../../../lib/pawl/host.ts';
import { scopedKey } from '../../../lib/pawl/http/index.ts';
import { boundedText, extended, hashedTail, joined, ownParts, partsOf } from '../../../lib/pawl/kernel/name.ts';
import { bytesOf } from '../../../lib/pawl/kernel/text.ts';
import { segmentId } from '../../../lib/pawl/locks/dynamodb/progress.ts';
import { lockPlace } from '../../../lib/pawl/locks/listed.ts';
import { resourceId } from '../../../lib/pawl/locks/resource.ts';
import { laneOfGroup, ownLane } from '../../../lib/pawl/outbox/record.ts';
import {
  identify,
  identityOf,
  idPrefix,
  isEffectKey,
  namesIn,
  stepEffectKey,
} from '../../../lib/pawl/rules/identity.ts';
import { observedPlace, openShards, shardName, unstatedPlace } from '../../../lib/pawl/rules/open.ts';
import { bodyField, compositeKey, entityKey } from '../../../lib/pawl/sqs/index.ts';
import { findingKinds, findingOf } from '../../../lib/pawl/statements/finding.ts';
import { partsOfMark } from '../../../lib/pawl/statements/line.ts';
import { remedyKey } from '../../../lib/pawl/statements/remedy-key.ts';
import { counterId } from '../../../lib/pawl/statements/reservation-note.ts';
import { runNoteId } from '../../../lib/pawl/statements/run-note.ts';
import { restoredId } from '../../../lib/pawl/stores/dynamodb/restore-mark.ts';
import { executionHash, executionName, waitingId } from '../../../lib/pawl/workflows/execution-name.ts';
import { allSources } from '../../support/sources.ts';
import { firstOf } from '../../support/whole.ts';

/**
 * All makers of names that are made of parts. Two names of one space are the same only if they have the same maker and the same parts.
 *
 * A new maker joins the list: `lib/pawl/kernel/name.ts` is the one way to make such a name, and the last tests here look for files that use it, or another way,
 * and are not in the list.
 */

/** Where names meet: one table, the idempotency keys of one provider, one index. */
type Space =
  | 'items of a table'
  | 'effect keys'
  | 'places of the index'
  | 'keys of an operation'
  | 'keys of remedies'
  | 'names of executions'
  | 'lanes of an outbox';

interface Maker {
  readonly space: Space;
  /** The file that makes the name. */
  readonly file: string;
  /** Makes a name of parts; what tells the parts apart from all others of this maker. */
  readonly made: fc.Arbitrary<{ readonly name: string; readonly parts: unknown }>;
}

/** What has ended a part too early, or has passed itself off as something else. */
const nasty = [
  '#',
  '~',
  '~0',
  '~1',
  '~2',
  '/',
  '%',
  '%23',
  ':',
  'sha256:',
  'sha256~2',
  'a',
  'b',
  '0',
  'id',
  'says',
  'é',
];
const text = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(fc.constantFrom(...nasty), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('k'.repeat(250), 'k'.repeat(2040), 'é'.repeat(1100), `${'k'.repeat(2100)}#a`),
  },
);
const operation = fc
  .array(fc.constantFrom('~', '~1', '/', ':', 'a', 'b', 'send', 'sha256:', '00'), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));
const stepName = text.filter((one) => /^[!-~]{1,64}$/.test(one));
const shard = fc.integer({ min: 0, max: openShards - 1 }).map(shardName);
const workName = fc.constantFrom('a', 'b', '0', '~1', 'sha256:');
const index = fc.integer({ min: 0, max: 63 });

const fixed = (name: string) => fc.constant({ name, parts: name });
/** A text is known by its hash to whoever wants to pass for it. */
const forged = text.map((one) => `sha256:${nodeHost.sha256(one)}`);
const any = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: forged });

const makers: Readonly<Record<string, Maker>> = {
  'a claim': {
    space: 'items of a table',
    file: 'lib/pawl/rules/identity.ts',
    made: fc.tuple(operation, any).map((parts) => ({ parts, name: identify(...parts, nodeHost).id })),
  },
  'a resource': {
    space: 'items of a table',
    file: 'lib/pawl/locks/resource.ts',
    made: fc
      .array(any, { minLength: 1, maxLength: 3 })
      .map((parts) => ({ parts, name: resourceId(parts as [string, ...string[]], nodeHost) })),
  },
  'a lock': {
    space: 'items of a table',
    file: 'lib/pawl/locks/acquire.ts',
    made: fc.uuid().map((parts) => ({ parts, name: joined(ownParts('lock', parts)) })),
  },
  'a segment of a work': {
    space: 'items of a table',
    file: 'lib/pawl/locks/dynamodb/progress.ts',
    made: fc
      .tuple(any, workName, index)
      .map(([id, work, at]) => ({ parts: [id, work, at], name: segmentId({ id, work }, at, nodeHost) })),
  },
  'the note of a run': {
    space: 'items of a table',
    file: 'lib/pawl/statements/run-note.ts',
    made: operation.map((parts) => ({ parts, name: runNoteId(parts) })),
  },
  'a finding': {
    space: 'items of a table',
    file: 'lib/pawl/statements/finding.ts',
    made: fc
      .tuple(operation, fc.constantFrom(...findingKinds), fc.option(any), any, fc.boolean())
      .map(([of, kind, key, line, isId]) => {
        const mark = partsOfMark({ line, isId, run: '', position: 0 });
        const subject = key === null ? mark : [identify(of, key, nodeHost).id, ...mark];
        const { id } = findingOf({ kind, operation: of, foundAt: 0 }, subject, nodeHost);
        return { parts: [of, kind, key, line, isId], name: id };
      }),
  },
  'the count of remedies': {
    space: 'items of a table',
    file: 'lib/pawl/statements/reservation-note.ts',
    made: operation.map((parts) => ({ parts, name: counterId(parts) })),
  },
  'the key of a remedy': {
    space: 'keys of remedies',
    file: 'lib/pawl/statements/remedy-key.ts',
    made: fc
      .tuple(operation, fc.constantFrom(...findingKinds), fc.option(any), any, fc.boolean())
      .map(([of, kind, key, line, isId]) => {
        const mark = partsOfMark({ line, isId, run: '', position: 0 });
        const subject = key === null ? mark : [identify(of, key, nodeHost).id, ...mark];
        const finding = findingOf({ kind, operation: of, foundAt: 0 }, subject, nodeHost);
        return { parts: [of, kind, key, line, isId], name: identify('refund', remedyKey(finding), nodeHost).id };
      }),
  },
  'the lane of a message group': {
    space: 'lanes of an outbox',
    file: 'lib/pawl/outbox/record.ts',
    made: fc.tuple(any, any).map((parts) => ({ parts, name: laneOfGroup(...parts, nodeHost) })),
  },
  'the lane of a message by itself': {
    space: 'lanes of an outbox',
    file: 'lib/pawl/outbox/record.ts',
    made: fc.uuid().map((parts) => ({ parts, name: ownLane(parts) })),
  },
  'the mark of a restore': {
    space: 'items of a table',
    file: 'lib/pawl/stores/dynamodb/restore-mark.ts',
    made: fixed(restoredId),
  },
  'the claim of an execution': {
    space: 'items of a table',
    file: 'lib/pawl/workflows/execution-name.ts',
    made: fc.tuple(operation, any, any).map(([of, key, target]) => ({
      parts: [of, key, target],
      name: waitingId(of, executionHash({ operation: of, key, target }, nodeHost)),
    })),
  },
  'the effect of a claim': {
    space: 'effect keys',
    file: 'lib/pawl/rules/identity.ts',
    made: fc.tuple(operation, any).map((parts) => ({ parts, name: identify(...parts, nodeHost).effectKey })),
  },
  'the effect of a step': {
    space: 'effect keys',
    file: 'lib/pawl/rules/identity.ts',
    made: fc.tuple(operation, any, stepName).map(([of, key, step]) => ({
      parts: [of, key, step],
      name: stepEffectKey(identify(of, key, nodeHost).effectKey, step, nodeHost),
    })),
  },
  'a shard of the open claims': {
    space: 'places of the index',
    file: 'lib/pawl/rules/open.ts',
    made: shard.map((parts) => ({ parts, name: parts })),
  },
  'unstated claims': {
    space: 'places of the index',
    file: 'lib/pawl/rules/open.ts',
    made: fc.tuple(operation, shard).map((parts) => ({ parts, name: unstatedPlace(...parts) })),
  },
  'observed claims of one shard': {
    space: 'places of the index',
    file: 'lib/pawl/rules/open.ts',
    made: fc.tuple(operation, shard).map((parts) => ({ parts, name: observedPlace(...parts) })),
  },
  'locks of one shard': {
    space: 'places of the index',
    file: 'lib/pawl/locks/listed.ts',
    made: shard.map((parts) => ({ parts, name: lockPlace(parts) })),
  },
  'open findings': {
    space: 'places of the index',
    file: 'lib/pawl/statements/finding.ts',
    made: fixed(joined(ownParts('findings'))),
  },
  'an execution': {
    space: 'names of executions',
    file: 'lib/pawl/workflows/execution-name.ts',
    made: fc.tuple(operation, any, any, fc.integer({ min: 1, max: 99 })).map(([of, key, target, number]) => ({
      parts: [of, key, target, number],
      name: executionName(executionHash({ operation: of, key, target }, nodeHost), number),
    })),
  },
  'the key of a caller': {
    space: 'keys of an operation',
    file: 'lib/pawl/http/admission.ts',
    made: fc.tuple(fc.option(any), any).map(([caller, key]) => ({
      parts: [caller, key],
      name: scopedKey(caller === null ? 'anyone' : { caller }, key),
    })),
  },
};

const all = Object.entries(makers);
const spaces = [...new Set(all.map(([, { space }]) => space))];
const runs = { numRuns: firstOf(20_000, { first: 10_000 }), seed: 28 };

/** A name of any of these makers. */
function nameOf(ours: readonly (readonly [string, Pick<Maker, 'made'>])[]) {
  return fc.oneof(...ours.map(([maker, { made }]) => made.map((one) => ({ maker, ...one }))));
}

const ofSpace = (space: Space) => nameOf(all.filter(([, maker]) => maker.space === space));

/** Makes names, and looks for two that are one. */
function search(names: ReturnType<typeof nameOf>) {
  const seen = new Map<string, string>();
  let collision: readonly string[] | undefined;
  for (const { maker, parts, name } of fc.sample(names, runs)) {
    const made = JSON.stringify([maker, parts]);
    const other = seen.get(name) ?? made;
    seen.set(name, made);
    if (other !== made) collision ??= [name, made, other];
  }
  return { collision, names: seen.size };
}

describe.each(spaces)('%s', (space) => {
  it('have one name each: no two makers, and no two lists of parts, come to the same', () => {
    const { collision, names } = search(ofSpace(space));
    expect(collision).toBeUndefined();
    // Or nothing was compared.
    expect(names).toBeGreaterThan(space === 'places of the index' ? 500 : runs.numRuns * 0.15);
  });
});

test.each<readonly [(typeof spaces)[number], (name: string) => void]>([
  ['items of a table', (name) => expect(bytesOf(name)).toBeLessThanOrEqual(2048)],
  ['effect keys', (name) => expect(isEffectKey(name)).toBe(true)],
  // Step Functions takes 80 characters, and more kinds of them.
  ['names of executions', (name) => expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)],
])('%s are as long as what takes them allows', (space, expectTaken) => {
  fc.assert(
    fc.property(ofSpace(space), ({ name }) => void expectTaken(name)),
    { ...runs, numRuns: 2000 },
  );
});

/** Makers as they were, or as someone may write them tomorrow. */
const broken: Readonly<Record<string, readonly Pick<Maker, 'made'>[]>> = {
  'a step’s effect key that ends in the name of the step': [
    { made: fc.tuple(operation, any).map((parts) => ({ parts, name: parts.join('#') })) },
    {
      made: fc.tuple(operation, any, stepName).map((parts) => ({ parts, name: `${parts[0]}#${parts[1]}/${parts[2]}` })),
    },
  ],
  'a producer’s operation that a consumer can have': [
    { made: fc.tuple(operation, any).map((parts) => ({ parts, name: joined(parts) })) },
    { made: fc.tuple(operation, any).map((parts) => ({ parts, name: joined([`send:${parts[0]}`, parts[1]]) })) },
    {
      made: fc
        .tuple(
          operation.map((of) => `send:${of}`),
          any,
        )
        .map((parts) => ({ parts, name: joined(parts) })),
    },
  ],
  'a finding whose parts are not escaped': [
    {
      made: fc
        .array(fc.stringMatching(/^[#ab]{1,3}$/), { minLength: 2, maxLength: 3 })
        .map((parts) => ({ parts, name: `#finding#${parts.join('#')}` })),
    },
  ],
  'a line’s id that is taken for what a line says': [
    { made: fc.tuple(fc.boolean(), any).map((parts) => ({ parts, name: joined([parts[1]]) })) },
  ],
  'a plain part that can be the hash of another one': [
    { made: forged.map((parts) => ({ parts, name: parts })) },
    { made: text.map((parts) => ({ parts, name: `sha256:${nodeHost.sha256(parts)}` })) },
  ],
  'a work without a name beside one that has one': [
    { made: fc.tuple(any, index).map((parts) => ({ parts, name: `#work#${parts.join('#')}` })) },
    { made: fc.tuple(any, workName, index).map((parts) => ({ parts, name: `#work#${parts.join('#')}` })) },
  ],
};

it.each(Object.entries(broken))('the search finds %s', (_, wrong) => {
  expect(search(nameOf(wrong.map((one, at) => [String(at), one] as const))).collision).toBeDefined();
});

describe('a name', () => {
  it('looks as its parts where they are ordinary', () => {
    expect(joined(['send-email', 'order-17'])).toBe('send-email#order-17');
    expect(identify('pay', 'customer@example.com/100%/a b', nodeHost).id).toBe('pay#customer@example.com/100%/a b');
    const composite = compositeKey(bodyField('a'), bodyField('b'));
    const key = composite({ body: { a: 'a@b.c', b: 'x/y#z' } });
    expect(identify('pay', key, nodeHost).effectKey).toBe('pay#a%40b.c/x%2Fy%23z');
    expect(identify('pay', entityKey('payment', 17, 'refund'), nodeHost).id).toBe('pay#payment/17/refund');
    expect(stepEffectKey('pay#order-17', 'charge', nodeHost)).toBe('pay#order-17#charge');
    expect(resourceId(['customer', 7, 'debt', 'd-1'], nodeHost)).toBe('#resource#customer#7#debt#d-1');
  });

  it('is what it is in every version: a claim is found by it, and an effect is known by it', () => {
    const long = 'k'.repeat(2040);
    expect(identify('pay', 'a#b~c', nodeHost)).toEqual({ key: 'a#b~c', id: 'pay#a~1b~0c', effectKey: 'pay#a~1b~0c' });
    expect(identify('pay', 'sha256:17', nodeHost).id).toBe('pay#sha256~217');
    expect(identify('pay', long, nodeHost).effectKey).toBe(`pay#sha256:${nodeHost.sha256(long)}`);
    expect(identify('pay', `${long}#123456`, nodeHost).id).toBe(`pay#sha256:${nodeHost.sha256(`${long}~1123456`)}`);
    expect(segmentId({ id: 'pay#order-17', work: 'repay' }, 3, nodeHost)).toBe('#work#pay~1order-17#repay#3');
    expect(unstatedPlace('pay', '07')).toBe('#unstated#pay#07');
  });

  it('of a long text is no other text, and none that reads like the hash of it', () => {
    // A hash fits where a text of this length does not.
    const most = 128;
    fc.assert(
      fc.property(text, (begin) => {
        const long = begin.padEnd(most + 1, 'x');
        const bounded = boundedText(long, most, nodeHost);
        for (const other of [`${long}.`, bounded]) expect(boundedText(other, most, nodeHost)).not.toBe(bounded);
      }),
      { seed: 28 },
    );
  });

  it('has its parts back', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(partsOf(joined(parts))).toEqual(parts);
        expect(extended(joined(parts), 'a#b')).toBe(joined([...parts, 'a#b']));
      }),
      { seed: 28 },
    );
    expect(partsOf(hashedTail('pay', 'x', nodeHost))).toEqual(['pay', undefined]);
  });

  it('begins as the name of the beginning of its last part: a list of keys with a prefix finds it', () => {
    fc.assert(
      fc.property(operation, text, fc.nat(8), (of, key, length) => {
        const prefix = key.slice(0, length);
        expect(joined([of, key]).startsWith(idPrefix(of, prefix))).toBe(true);
      }),
      { seed: 28 },
    );
  });

  it('of a claim says its operation and its key, and is the name of them again', () => {
    fc.assert(
      fc.property(operation, any, (of, key) => {
        const identity = identify(of, key, nodeHost);
        const names = namesIn(identity.id);
        expect(names.operation).toBe(of);
        if (names.key === undefined) expect(identityOf(identity.id, nodeHost).effectKey).toBe(identity.effectKey);
        else expect(identityOf(identity.id, nodeHost)).toEqual(identity);
      }),
      { seed: 28 },
    );
  });
});

describe('the list of makers', () => {
  /** Files that take names apart, or join texts that meet nothing else. */
  const noMakers: Readonly<Record<string, string>> = {
    'lib/pawl/sqs/send-once.ts': 'a deduplication id: the hash of operation and key',
    'lib/pawl/engine/observe/observed-claim.ts':
      'the effect key of a run without a key: its key is random, and nothing looks it up',
    'lib/pawl/observe/hashed-keys.ts': 'the id in an event, for people: nothing looks it up',
    'lib/pawl/statements/line.ts': 'reads an effect key',
    'lib/pawl/locks/lock-view.ts':
      'takes the name of a resource apart, and completes the id of a lock that a person names',
    'lib/pawl/deployment/claim-rights.ts': 'how the names of an operation begin, in a policy',
    'lib/pawl/engine/options.ts': 'which names an operation may not have',
    'lib/pawl/operate/acts.ts': 'tells the records of pawl apart by their names, and makes none',
    'lib/pawl/operate/execution-view.ts': 'which claims wait for an execution',
    'lib/pawl/workflows/waiting-claims.ts': 'attributes of a claim, for people: nothing looks them up',
  };

  it('has every file that makes a name', () => {
    const using = allSources
      .filter(({ source }) => /from '[./]+kernel\/name\.ts'/.test(source))
      .map(({ file }) => file);
    const listed = [...all.map(([, { file }]) => file), ...Object.keys(noMakers)];
    expect(notEmpty('makers', using).filter((file) => !listed.includes(file))).toEqual([]);
  });

  it('has the only ways in which parts are joined', () => {
    /** `#` in a text that is made: of other syntaxes, of the laws of stores, whose ids are written by hand, and of Powertools' records. */
    const others = [
      /^lib\/testing\//,
      /^lib\/pawl\/deployment\/template\//,
      /^lib\/rehearsal\//,
      /^lib\/pawl\/powertools\//,
    ];
    const otherSyntax = [/home\?region=/, /`#\$\{name\}/, /attribute_not_exists\(/, /documentation\}#/];
    const joining = notEmpty('sources', allSources)
      .filter(({ file }) => file !== 'lib/pawl/kernel/name.ts' && !others.some((one) => one.test(file)))
      .flatMap(({ file, source }) => source.split('\n').map((line) => ({ file, line })))
      .filter(
        ({ line }) => /`[^`]*(#\$\{|\}#)[^`]*`|join\('#'\)|'#[a-z-]+#?'/.test(line) && !/^\s*(\*|\/[/*])/.test(line),
      )
      .filter(
        ({ line }) =>
          !otherSyntax.some((one) => one.test(line)) &&
          !/'#(place|at|run|v|name|open|status|shard|lockFence|endedAt|ended|forgotten|observed)'/.test(line),
      );
    expect(joining).toEqual([]);
  });
});
