import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

/** Gives a process a share of one CPU, as a function has it. */
export interface CpuQuota extends Disposable {
  set(pid: number, share: number): void;
}

/** As short as Linux divides time for a group that is to be even. A quota below a millisecond is refused. */
const periodUs = 20_000;
const root = '/sys/fs/cgroup/cpu';

/** A group of processes with a quota of its own, where the machine lets one be made (cgroup v1, as root). @returns nothing elsewhere */
export function createCpuQuota(): CpuQuota | undefined {
  const group = `${root}/pawl-bench-${process.pid}`;
  try {
    if (!existsSync(`${root}/cgroup.procs`)) return undefined;
    mkdirSync(group);
    const moved = new Set<number>();
    const write = (file: string, value: number) => writeFileSync(`${group}/${file}`, String(value));
    write('cpu.cfs_period_us', periodUs);
    return {
      set(pid, share) {
        // No quota at a whole CPU: a process has other threads, which collect garbage beside it.
        write('cpu.cfs_quota_us', share >= 1 ? -1 : Math.round(periodUs * share));
        write('cgroup.procs', pid);
        moved.add(pid);
      },
      [Symbol.dispose]() {
        for (const pid of moved) if (existsSync(`/proc/${pid}`)) writeFileSync(`${root}/cgroup.procs`, String(pid));
        rmdirSync(group);
      },
    };
  } catch {
    return undefined;
  }
}
