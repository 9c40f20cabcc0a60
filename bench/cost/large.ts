import { type Driver, startDriver } from './driver.ts';
import type { Plan } from './plan.ts';
import type { Large, Peak } from './results.ts';
import type { Setting } from './setting.ts';
import { startingWith, warmUp } from './sizes.ts';

const large = { size: 10_000, batches: 1 };
/** Fewer messages, as DynamoDB Local takes its time; CPU is compared per message. */
const hundreds = { size: 100, batches: 10 };

/** First deliveries in one batch of 10,000, and in batches of 100, in turns. The memory is that of a process which has had one such batch. */
export async function measureLarge(
  { largeRounds, warmUpMs }: Plan,
  peaks: readonly Peak[],
  { endpoint, createTable, progress }: Setting,
): Promise<readonly Large[]> {
  if (largeRounds === 0) return [];
  await using drivers = new AsyncDisposableStack();
  const compared: {
    readonly driver: Driver;
    readonly hundred: number[];
    readonly tenThousand: number[];
    peakMb: number;
  }[] = [];
  for (const name of ['floor', 'pawl', 'pawlLean'] as const) {
    progress.update(`batches of 10,000: ${name} is warmed up`);
    const driver = drivers.use(await startDriver(name, await createTable(`${name}-${large.size}`), endpoint));
    await warmUp(driver, { ...hundreds, scenarios: ['first'], until: performance.now() + warmUpMs });
    compared.push({ driver, hundred: [], tenThousand: [], peakMb: Number.NaN });
  }

  async function cpuPerMessage(driver: Driver, block: typeof large, series: string): Promise<number> {
    const { cpuMs } = await driver.time({ ...block, scenario: 'first', series });
    return cpuMs / (block.size * block.batches);
  }

  for (let round = 0; round < largeRounds; round++) {
    for (const one of startingWith(round, compared)) {
      const { driver, hundred, tenThousand } = one;
      progress.update(`batches of 10,000: round ${round + 1} of ${largeRounds}, ${driver.name}`);
      // Before and after, so that what changes meanwhile on the machine is in both.
      const before = await cpuPerMessage(driver, hundreds, `before-${round}`);
      tenThousand.push(await cpuPerMessage(driver, large, `large-${round}`));
      if (round === 0) one.peakMb = await driver.peakMb();
      hundred.push((before + (await cpuPerMessage(driver, hundreds, `after-${round}`))) / 2);
    }
  }
  return compared.map(({ driver: { name }, peakMb, ...cpuMs }) => ({
    name,
    cpuMs,
    peakMb,
    peakMbOfHundreds: peaks.find((peak) => peak.name === name && peak.size === 100)?.peakMb ?? Number.NaN,
  }));
}
