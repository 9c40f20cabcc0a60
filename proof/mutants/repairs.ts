import { breaks, type Mutant } from './mutant.ts';

/** Breakages of repair without a message: the sweep, and the comparison with a provider's statement. */

type Findings = typeof import('../../lib/pawl/statements/finding.ts');
type JudgeLine = typeof import('../../lib/pawl/statements/judge-line.ts');
type Lines = typeof import('../../lib/pawl/statements/line.ts');
type Phase = typeof import('../../lib/pawl/statements/phase.ts');
type ReadClaims = typeof import('../../lib/pawl/statements/read-claims.ts');
type RunNote = typeof import('../../lib/pawl/statements/run-note.ts');
type SettleClaim = typeof import('../../lib/pawl/sweep/settle-claim.ts');
type SettleRestored = typeof import('../../lib/pawl/statements/settle-restored.ts');
type Stated = typeof import('../../lib/pawl/rules/stated.ts');
type Sweep = typeof import('../../lib/pawl/sweep/sweep.ts');

const ofClaims = (what: string, breakage: (original: ReadClaims) => Partial<ReadClaims>): Mutant =>
  breaks<ReadClaims>(what, 'lib/pawl/statements/read-claims.ts', breakage);
const ofFindings = (what: string, breakage: (original: Findings) => Partial<Findings>): Mutant =>
  breaks<Findings>(what, 'lib/pawl/statements/finding.ts', breakage);
const ofRestored = (what: string, breakage: (original: SettleRestored) => Partial<SettleRestored>): Mutant =>
  breaks<SettleRestored>(what, 'lib/pawl/statements/settle-restored.ts', breakage);
const ofStated = (what: string, breakage: (original: Stated) => Partial<Stated>): Mutant =>
  breaks<Stated>(what, 'lib/pawl/rules/stated.ts', breakage);

export const repairs: readonly Mutant[] = [
  breaks<typeof import('../../lib/pawl/rules/repair.ts')>(
    'a sweep settles a claim under the fence of its earlier worker',
    'lib/pawl/rules/repair.ts',
    ({ repair }) => ({
      repair(found, ...rest) {
        const begun = repair(found, ...rest);
        if (begun.kind !== 'ask' || found === undefined) return begun;
        const record = { ...begun.record, fence: found.fence };
        return { ...begun, record, write: begun.write && { ...begun.write, next: record } };
      },
    }),
  ),
  breaks<SettleClaim>(
    'a sweep takes a store that fails for a claim that is settled',
    'lib/pawl/sweep/settle-claim.ts',
    ({ settleClaim }) => ({
      settleClaim: (...args) => settleClaim(...args).catch(() => 'settledMeanwhile' as const),
    }),
  ),
  breaks<Sweep>(
    'a sweep begins questions that its invocation does not outlast',
    'lib/pawl/sweep/sweep.ts',
    ({ sweepOpenClaims }) => ({
      sweepOpenClaims(options) {
        const handler = sweepOpenClaims(options);
        return (event) => handler(event);
      },
    }),
  ),
  breaks<Sweep>('a sweep begins every run at the first claim', 'lib/pawl/sweep/sweep.ts', ({ sweepOpenClaims }) => ({
    sweepOpenClaims: (options) => (event, context) => sweepOpenClaims(options)(event, context),
  })),

  ofClaims('absence decides before the line can have come', ({ readClaims }) => ({
    readClaims: (settings, held) => readClaims({ ...settings, settleMs: 0, skewMs: 0 }, held),
  })),
  ofClaims('absence decides over a time that was not read', ({ readClaims }) => ({
    readClaims: (settings, held) => readClaims(settings, { ...held, run: { ...held.run, coveredFrom: 0 } }),
  })),
  ofFindings('a finding is another one each time that it is found, also after a resume', ({ findingOf }) => ({
    findingOf: (what, subject, host) => findingOf(what, [...subject, `${Math.random()}`], host),
  })),
  ofFindings('a finding that was accepted is open again when it is met again', ({ storeFinding }) => ({
    storeFinding: async (store, finding) => {
      await storeFinding(store, finding);
      const seen = await store.readNote(finding.id);
      if (seen !== undefined) {
        await store.writeNote({
          next: { ...seen, rev: seen.rev + 1, text: JSON.stringify(finding), open: '#findings' },
          seen,
        });
      }
      return finding;
    },
  })),
  ofFindings('what was just found is left out of the report, if the index lags', ({ openFindings }) => ({
    openFindings: (store, operation) => openFindings(store, operation),
  })),
  breaks<JudgeLine>('a line completes a claim with steps', 'lib/pawl/statements/judge-line.ts', ({ judgeLine }) => ({
    judgeLine: (settings, ...rest) => {
      const { store } = settings;
      const read: typeof store.read = async (id) => {
        const found = await store.read(id);
        return found && { ...found, checkpoints: undefined };
      };
      return judgeLine({ ...settings, store: { ...store, read } }, ...rest);
    },
  })),
  breaks<Lines>(
    'two lines without an id are one line, whatever their keys',
    'lib/pawl/statements/line.ts',
    ({ nameOf }) => ({
      nameOf: ({ key: _, effectKey: __, ...line }, host) => nameOf(line, host),
    }),
  ),
  breaks<Phase>('a part counts again when it is repeated', 'lib/pawl/statements/phase.ts', ({ move }) => ({
    async move(settings, held, on) {
      const counted = await move(settings, held, { counts: on.counts ?? held.run.counts });
      return counted && move(settings, counted, on);
    },
  })),
  breaks<RunNote>(
    'an attempt that was superseded moves the run on',
    'lib/pawl/statements/run-note.ts',
    ({ readRun, writeRun }) => ({
      writeRun: async (store, run) => writeRun(store, run, (await readRun(store, run.operation))?.note),
    }),
  ),
  ofStated('a second line of one effect is taken for the first', ({ stated }) => ({
    stated(found, mark) {
      const said = stated(found, mark);
      return said.kind === 'twice' ? { kind: 'known', found: said.found } : said;
    },
  })),
  ofStated('a line that is looked at again is a second one', ({ stated }) => ({
    stated: (found, mark) => stated(found, mark.position < 0 ? { ...mark, position: Number.MAX_SAFE_INTEGER } : mark),
  })),
  ofStated('a claim that its statement lacks counts as stated', () => ({ isStated: () => true })),

  ofRestored('a mark is lifted before the statement has all of the lost time', ({ whyNot }) => ({
    whyNot: (settings, run, ...rest) => whyNot(settings, { ...run, from: 0, cutOff: Number.MAX_SAFE_INTEGER }, ...rest),
  })),
  ofRestored('a mark is lifted beside lines that could not be matched', ({ whyNot }) => ({
    whyNot: (settings, run, _, marked) =>
      whyNot(settings, { ...run, counts: { ...run.counts, unreadable: 0 } }, {}, marked),
  })),
  ofRestored('a mark is lifted after an attempt that did not know of it', ({ whyNot }) => ({
    whyNot: (settings, run, open, marked) => whyNot(settings, { ...run, reopenedAt: marked.reopenedAt }, open, marked),
  })),
  ofRestored('absence releases what a worker has left in doubt since', ({ isOfRestore }) => ({
    isOfRestore: (record, settings, run, marked) =>
      isOfRestore({ ...record, unknownAt: marked.reopenedAt }, settings, run, marked),
  })),
  ofRestored('absence releases a claim with steps', ({ isOfRestore }) => ({
    isOfRestore: (record, ...rest) => isOfRestore({ ...record, checkpoints: undefined }, ...rest),
  })),
];
