import { describe, expect, it } from 'vitest';
import { explain, type Finding } from '../../lib/testing/index.ts';
import { broken } from './handlers/broken.ts';
import { right } from './handlers/right.ts';

/*
 * Broken handlers are caught, with the verdict that names the cause; right ones are not accused.
 */

const simplest = (findings: readonly Finding[]) => findings.toSorted((a, b) => a.faults.length - b.faults.length)[0];

describe('caught, as what it is: a handler that', () => {
  it.each(broken)('$name', async ({ sweep, harm, always = false }) => {
    const report = await sweep();
    const found = simplest(report.findings);
    expect(found?.problem, explain(report)).toBe(harm);
    expect(found?.faults.length === 0).toBe(always);
  });
});

describe('not accused: a handler that is right, and', () => {
  it.each(right)('$name', async ({ sweep }) => {
    const report = await sweep();
    expect(report.findings, explain(report)).toEqual([]);
    expect(report.runs).toBeGreaterThan(10);
  });
});
