import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClaimEvent, type MetricOptions, metricEvents } from '../../../lib/pawl/observe/index.ts';
import { someDay } from '../../support/virtual-host.ts';
import { everyKind, granted, takenOver } from './events.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function linesOf(events: readonly ClaimEvent[], options: MetricOptions = {}): string[] {
  const lines: string[] = [];
  const listener = metricEvents({ ...options, write: (line) => lines.push(line) });
  for (const event of events) listener(event);
  return lines;
}

/** What the specification of the Embedded Metric Format demands of a document, as far as it says MUST. */
function problemsOf(line: string): string[] {
  const document = JSON.parse(line);
  const problems: string[] = [];
  const must = (ok: unknown, what: string) => ok || problems.push(what);
  must(!line.includes('\n') && line.length < 256 * 1024, 'one line of at most 256 KB');
  must(Number.isInteger(document._aws?.Timestamp), '_aws.Timestamp: milliseconds');
  must(Array.isArray(document._aws?.CloudWatchMetrics), '_aws.CloudWatchMetrics: an array');
  for (const { Namespace, Dimensions, Metrics, ...rest } of document._aws?.CloudWatchMetrics ?? []) {
    must(/^.{1,255}$/.test(Namespace), 'Namespace: 1 to 255 characters');
    must(Array.isArray(Dimensions) && Dimensions.length >= 1, 'Dimensions: sets');
    for (const set of Dimensions ?? []) {
      must(Array.isArray(set) && set.length <= 9, 'a dimension set: at most 9 keys');
      for (const key of set) must(/^.+$/.test(document[key]), `${key}: a target member with a text`);
    }
    must(Array.isArray(Metrics) && Metrics.length <= 100, 'Metrics: at most 100');
    for (const { Name, Unit, ...other } of Metrics ?? []) {
      must(/^.{1,255}$/.test(Name) && typeof document[Name] === 'number', `${Name}: a target member with a number`);
      must(['Count', 'None'].includes(Unit), 'Unit: a unit of CloudWatch');
      must(Object.keys(other).length === 0, 'no other members in a metric');
    }
    must(Object.keys(rest).length === 0, 'no other members in a directive');
  }
  return problems;
}

describe('metricEvents', () => {
  it('writes one document in Embedded Metric Format for each event', () => {
    const lines = linesOf(everyKind);
    expect(lines).toHaveLength(everyKind.length);
    expect(lines.flatMap(problemsOf)).toEqual([]);
  });

  it('counts by type and operation, with the id as a property and not as a dimension', () => {
    expect(linesOf([takenOver], { namespace: 'shop' }).map((line) => JSON.parse(line))).toEqual([
      {
        _aws: {
          Timestamp: someDay,
          CloudWatchMetrics: [
            { Namespace: 'shop', Dimensions: [['operation']], Metrics: [{ Name: 'TakenOver', Unit: 'Count' }] },
          ],
        },
        operation: 'issue-gift-card',
        TakenOver: 1,
        id: 'issue-gift-card#jo@example.com',
      },
    ]);
  });

  it('goes past the console, which Lambda makes to wrap lines when it logs as JSON', () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logged = vi.spyOn(console, 'log').mockReturnValue();
    metricEvents()(granted);
    expect(logged).not.toHaveBeenCalled();
    expect(written).toHaveBeenCalledExactlyOnceWith(`${linesOf([granted])[0]}\n`);
  });
});
