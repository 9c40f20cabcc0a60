import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { add, noTally, type Tally } from './tally.ts';
import type { Piece } from './worker.ts';
import type { What } from './worlds.ts';

export interface CampaignOptions {
  readonly what: What;
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  /** It ends after so many failures. */
  readonly mostFailures: number;
  /** It ends after so many minutes, whatever is left. */
  readonly minutes: number;
  /** Where it is kept how far the campaign has come: a file that is there is gone on from. */
  readonly stateFile: string | undefined;
}

export interface Campaign extends Tally {
  readonly what: What;
  readonly from: number;
  /** All seeds before this one have run. */
  next: number;
  /** Of all its parts together. */
  seconds: number;
  /** Of all threads together: what it takes where nobody else is at work. */
  cpuSeconds: number;
}

/** Seeds that a worker is given at once. */
const perPiece = 100;
const tellsEveryMs = 5000;

/** Runs seeds in several threads. What came of them is the same in whatever order their pieces end. */
export async function runCampaign(options: CampaignOptions, tell: (line: string) => void): Promise<Campaign> {
  const { what, seeds, workers, mostFailures, minutes, stateFile } = options;
  const campaign = begin(options);
  const end = campaign.from + seeds;
  /** Pieces that have ended before an earlier one. */
  const ahead = new Map<number, Tally>();
  const { seconds: earlierSeconds, cpuSeconds: earlierCpuSeconds } = campaign;
  const began = performance.now();
  const firstNext = campaign.next;
  let given = campaign.next;
  let told = began;

  const secondsSo = () => (performance.now() - began) / 1000;
  const isOver = () => given >= end || campaign.failures.length >= mostFailures || secondsSo() >= minutes * 60;

  async function work(): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url));
    const died = Promise.withResolvers<never>();
    worker.once('error', died.reject);
    while (!isOver()) {
      const piece: Piece = { what, from: given, count: Math.min(perPiece, end - given) };
      given += piece.count;
      const { promise, resolve } = Promise.withResolvers<Tally>();
      worker.once('message', resolve);
      worker.postMessage(piece);
      ended(piece.from, await Promise.race([promise, died.promise]));
    }
    await worker.terminate();
  }

  function ended(from: number, tally: Tally): void {
    ahead.set(from, tally);
    for (let next = ahead.get(campaign.next); next !== undefined; next = ahead.get(campaign.next)) {
      ahead.delete(campaign.next);
      campaign.next += next.seeds;
      add(campaign, next);
    }
    clock();
    if (performance.now() - told < tellsEveryMs) return;
    told = performance.now();
    const perSecond = (campaign.next - firstNext) / secondsSo();
    const left = Math.round((end - campaign.next) / perSecond);
    const { failures } = campaign;
    tell(`${campaign.seeds} seeds, ${failures.length} failures, ${Math.round(perSecond)} a second, ${left} s to go`);
    save();
  }

  function clock(): void {
    const { user, system } = process.cpuUsage();
    campaign.seconds = earlierSeconds + secondsSo();
    campaign.cpuSeconds = earlierCpuSeconds + (user + system) / 1e6;
  }

  function save(): void {
    if (stateFile === undefined) return;
    // Whoever is killed while writing leaves the file of before.
    writeFileSync(`${stateFile}.new`, JSON.stringify(campaign));
    renameSync(`${stateFile}.new`, stateFile);
  }

  await Promise.all(Array.from({ length: workers }, work));
  clock();
  save();
  return campaign;
}

/** @throws Error when the file is of another campaign */
function begin({ what, from, stateFile }: CampaignOptions): Campaign {
  if (stateFile === undefined || !existsSync(stateFile))
    return { ...noTally(), what, from, next: from, seconds: 0, cpuSeconds: 0 };
  const campaign = JSON.parse(readFileSync(stateFile, 'utf8')) as Campaign;
  if (campaign.from !== from || campaign.what !== what)
    throw new Error(`${stateFile} is of a campaign of ${campaign.what} from seed ${campaign.from}`);
  return campaign;
}
