import { parseArgs } from 'node:util';
import { createProgress } from '../../lib/rehearsal/progress.ts';
import { environmentOf } from '../cost/environment.ts';
import { median, medianInterval } from '../cost/statistics.ts';
import { asText } from '../cost/table.ts';
import { measureStarts, type Start, type StartName, type Starts } from './start.ts';

const usage = `npm run bench -- start [--rounds 40] [--quick]

From the start of a process to its first claim sent, beside a bare handler with the same client and beside the peer. Ratios are of the same round; the
interval holds the median with 95%. A share of 0.29 of a CPU, a function of 512 MB, needs cgroup v1, as root: without it, only a whole CPU is measured.`;

/** Of 1,769 MB, and of 512 MB. */
const shares = [1, 0.29];

const titles: Readonly<Record<keyof Start, string>> = {
  wallMs: 'Time to the first claim',
  cpuMs: 'CPU to the first claim',
  calledMs: 'Time from the first message to the first claim',
  calledCpuMs: 'CPU from the first message to the first claim',
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function row(starts: Starts, name: StartName, what: keyof Start): string[] {
  const ours = starts[name].map((one) => one[what]);
  const beside = (other: StartName) => {
    const ratios = starts[other].map((one, round) => (ours[round] ?? Number.NaN) / one[what]);
    const [low, high] = medianInterval(ratios);
    return `${median(ratios).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  };
  return [name, median(ours).toFixed(0), beside('bare'), beside('powertools')];
}

if (values.help) console.log(usage);
else {
  const progress = createProgress(process.stderr);
  const rounds = values.quick ? 10 : Number(values.rounds);
  for (const share of shares) {
    const starts = await measureStarts(rounds, share, (said) => progress.update(said));
    for (const [what, title] of Object.entries(titles) as [keyof Start, string][]) {
      const rows = (Object.keys(starts) as StartName[]).map((name) => row(starts, name, what));
      console.log(
        `${asText({ title: `${title}, ms, with ${share} of a CPU, ${rounds} rounds`, head: ['contender', 'median', '× bare', '× powertools'], rows })}\n`,
      );
    }
  }
  progress.end();
  const { date, commit, machine, load } = environmentOf(['start', ...process.argv.slice(2)], new Date());
  console.log(`${date}, ${commit}, ${machine}, load ${load.average.toFixed(1)} on ${load.cpus} processors`);
}
